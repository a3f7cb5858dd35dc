// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip live SCENE: the scene runs on a page in the browser, with a slider for each parameter. With --standalone the
// page is a file, and the scene runs in the browser alone.
#include "batch.h"
#include "common_options.h"
#include "http_server.h"
#include "live_commands.h"
#include "live_thread.h"
#include "outputs.h"
#include "standalone.h"
#include "terminal.h"
#include "verbs.h"

#include "stickslip/files/output_file.h"
#include "stickslip/report/page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace stickslip::app {
namespace {

constexpr int kUsualPort = 8023;
constexpr double kPatience = 0.5;  // seconds that a step may go on after the user has asked for the end
constexpr const char* kExamples =
    "Open the printed address in a browser. Sliders change parameters while the scene runs, at the next step, "
    "geometry\n"
    "included. The page can pause, step, reset, switch the stepper, the friction model and the step size, save the\n"
    "present parameters as a scene and export the recording.\n"
    "\n"
    "The server listens on this machine only (127.0.0.1); the address holds a token without which it answers nothing.\n"
    "It ends with Ctrl-C or when the terminal closes.\n"
    "\n"
    "--standalone writes a page that needs no server: the simulator, compiled to WebAssembly, and the scene with all "
    "that\n"
    "it reads lie in the file. Several scenes make a page with a choice. script/web-assembly builds that simulator.\n"
    "\n"
    "Examples:\n"
    "  stickslip live examples/meter-stick/scene.toml\n"
    "  stickslip live scene.toml --set mu=0.4 --port 9000\n"
    "  stickslip live scene.toml --standalone scene.html\n"
    "\n"
    "Exit codes: 0 ended by the user or page written, 1 no port is free or no simulator to put into a page, 2 bad "
    "input.";

struct LiveOptions {
  std::vector<std::string> scenes;
  std::vector<std::string> set;
  std::string standalone;  // page to write instead of serving one
  bool force = false;
  int port = kUsualPort;
  bool open = false;
};

HttpServer* running = nullptr;  // for signals only

void on_signal(int) {
  if (running != nullptr) running->stop();
}

HttpResponse handle(LiveSession& session, const HttpRequest& request) {
  const bool get = request.method == "GET";
  if (get && request.path == "/") return {200, "text/html; charset=utf-8", report::page_with(R"({"kind":"live"})")};
  if (!get && request.path == "/control") {
    const std::string wrong = command(session, request.body);
    return wrong.empty() ? HttpResponse{200, "application/json", "{}"}
                         : HttpResponse{400, "text/plain; charset=utf-8", wrong + "\n"};
  }
  if (get && request.path == "/scene") return {200, "application/toml", session.scene_text(), "scene.toml"};
  if (get && request.path == "/recording")
    return {200, "application/x-hdf5", session.recording_bytes(), "recording.h5"};
  return {404, "text/plain", "there is nothing here\n"};
}

int write_page(const LiveOptions& options) {
  Outputs outputs(options.scenes, options.force);
  outputs.claim(options.standalone, OutputKind::Page);
  const std::string page = standalone_page(options.scenes, overrides_of(options.set));
  files::write_file(options.standalone, page);
  fmt::print("page: {} ({:.2f} MB)\n", options.standalone, 1e-6 * static_cast<double>(page.size()));
  return kDone;
}

int serve(const LiveOptions& options) {
  if (options.scenes.size() > 1) {
    fmt::print(stderr, "stickslip: only a page of --standalone has several scenes\n");
    return kBadInput;
  }
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<LiveThread> session;
  const std::string token = new_token();
  try {
    server = std::make_unique<HttpServer>(
        options.port, token, [&session](const HttpRequest& request) { return handle(session->session(), request); });
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kFailed;
  }
  try {
    session = std::make_unique<LiveThread>(
        options.scenes.front(), overrides_of(options.set),
        LiveSession::Publisher{[&server](std::string message) { server->publish_setting(std::move(message)); },
                               [&server](std::string message) { server->publish_frame(std::move(message)); }});
  } catch (const std::exception& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
  running = server.get();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, on_signal);
  fmt::print("live: http://127.0.0.1:{}/?token={}\n", server->port(), token);
  std::fflush(stdout);
  session->start();
  std::jthread browser;  // a browser in the terminal asks for the page before it returns
  if (options.open)
    browser = std::jthread([address = fmt::format("http://127.0.0.1:{}/?token={}", server->port(), token)] {
      if (!open_in_browser(address)) fmt::print(stderr, "stickslip: no browser could be opened (xdg-open)\n");
    });
  server->serve();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
  running = nullptr;
  if (!session->stop_within(kPatience)) session->abandon(kDone);
  session.reset();
  return kDone;
}

}  // namespace

void add_live(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<LiveOptions>();
  CLI::App* verb = app.add_subcommand("live", "Run a scene on a page with a slider for each parameter");
  verb->footer(kExamples);
  verb->add_option("SCENE", options->scenes, "Scene file (TOML); several with --standalone")->required();
  add_set_option(*verb, options->set);
  verb->add_option("--port", options->port, "Port on this machine; another one when it is taken")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_flag("--open", options->open, "Open the page in the browser");
  verb->add_option("--standalone", options->standalone, "Write a page that needs no server")->type_name("FILE.html");
  add_force_option(*verb, options->force);
  verb->callback(
      [options, &exit_code] { exit_code = options->standalone.empty() ? serve(*options) : write_page(*options); });
}

}  // namespace stickslip::app
