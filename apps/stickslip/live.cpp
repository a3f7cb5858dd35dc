// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip live SCENE: the scene runs on a page in the browser, with a slider for each parameter.
#include "http_server.h"
#include "live_session.h"
#include "terminal.h"
#include "verbs.h"

#include "stickslip/report/page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace stickslip::app {
namespace {

using Json = nlohmann::json;

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
    "Examples:\n"
    "  stickslip live examples/meter-stick/scene.toml\n"
    "  stickslip live scene.toml --set mu=0.4 --port 9000\n"
    "\n"
    "Exit codes: 0 ended by the user, 1 no port is free, 2 bad input.";

struct LiveOptions {
  std::string scene;
  std::vector<std::string> set;
  int port = kUsualPort;
  bool open = false;
};

HttpServer* running = nullptr;  // for signals only

void on_signal(int) {
  if (running != nullptr) running->stop();
}

HttpResponse bad(const std::string& text) {
  return {400, "text/plain; charset=utf-8", text + "\n"};
}

// Three numbers, or two in the plane; none where it is something else.
std::optional<Vec3> vector_of(const Json& list) {
  if (!list.is_array() || list.size() < 2 || list.size() > 3) return {};
  Vec3 v = Vec3::Zero();
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!list[k].is_number() || !std::isfinite(list[k].get<double>())) return {};
    v[static_cast<Eigen::Index>(k)] = list[k].get<double>();
  }
  return v;
}

// Commands of the hand: {"do": "pull", "body": text, "from": point, "to": point}, {"do": "push", "body": text,
// "impulse": vector}. The names that are not there are told on the page.
HttpResponse touch(LiveSession& session, const std::string& what, const Json& request) {
  const Json body = request.value("body", Json());
  const auto from = vector_of(request.value("from", Json())), to = vector_of(request.value("to", Json())),
             impulse = vector_of(request.value("impulse", Json()));
  if (!body.is_string()) return bad("the name of a body is missing");
  if (what == "pull") {
    if (!from || !to) return bad("pull needs two points, from and to");
    session.pull(body.get<std::string>(), *from, *to);
  } else {
    if (!impulse) return bad("push needs an impulse");
    session.push(body.get<std::string>(), *impulse);
  }
  return {200, "application/json", "{}"};
}

// All commands: docs/live-protocol.md.
HttpResponse control(LiveSession& session, const std::string& body) {
  const Json request = Json::parse(body, nullptr, false);
  if (!request.is_object() || !request.contains("do") || !request["do"].is_string()) return bad("a command is missing");
  const std::string what = request["do"];
  const Json value = request.value("value", Json());
  if (what == "play") {
    session.play();
  } else if (what == "pause") {
    session.pause();
  } else if (what == "step") {
    session.step();
  } else if (what == "reset") {
    session.reset();
  } else if (what == "speed") {
    if (!value.is_number() || !(value.get<double>() > 0) || !std::isfinite(value.get<double>()))
      return bad("a speed must be a number > 0");
    session.set_speed(value.get<double>());
  } else if (what == "release") {
    session.release();
  } else if (what == "pull" || what == "push") {
    return touch(session, what, request);
  } else if (what == "rewind") {
    if (!value.is_number()) return bad("rewind needs a time");
    session.rewind(value.get<double>());
  } else if (what == "ending") {
    const std::optional<Ending> ending = value.is_string() ? ending_from(value.get<std::string>()) : std::nullopt;
    if (!ending) return bad("an ending is go-on, stop or loop");
    session.set_ending(*ending);
  } else if (what == "default") {
    const Json name = request.value("name", Json());
    if (!name.is_string()) return bad("default needs a name");
    session.set_default(name.get<std::string>());
  } else if (what == "set") {
    const Json name = request.value("name", Json());
    if (!name.is_string() || !(value.is_number() || value.is_string())) return bad("set needs a name and a value");
    session.set(name.get<std::string>(),
                value.is_string() ? value.get<std::string>() : fmt::format("{}", value.get<double>()));
  } else {
    return bad("there is no such command");
  }
  return {200, "application/json", "{}"};
}

HttpResponse handle(LiveSession& session, const HttpRequest& request) {
  const bool get = request.method == "GET";
  if (get && request.path == "/") return {200, "text/html; charset=utf-8", report::page_with(R"({"kind":"live"})")};
  if (!get && request.path == "/control") return control(session, request.body);
  if (get && request.path == "/scene") return {200, "application/toml", session.scene_text(), "scene.toml"};
  if (get && request.path == "/recording")
    return {200, "application/x-hdf5", session.recording_bytes(), "recording.h5"};
  return {404, "text/plain", "there is nothing here\n"};
}

int serve(const LiveOptions& options) {
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<LiveSession> session;
  const std::string token = new_token();
  try {
    server = std::make_unique<HttpServer>(options.port, token,
                                          [&session](const HttpRequest& request) { return handle(*session, request); });
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kFailed;
  }
  try {
    std::vector<scene::Override> overrides;
    for (const std::string& argument : options.set) overrides.push_back(scene::parse_override_argument(argument));
    session = std::make_unique<LiveSession>(
        options.scene, std::move(overrides),
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
  verb->add_option("SCENE", options->scene, "Scene file (TOML)")->required();
  verb->add_option("--set", options->set, "name=value, as in run")->take_all()->expected(1);
  verb->add_option("--port", options->port, "Port on this machine; another one when it is taken")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_flag("--open", options->open, "Open the page in the browser");
  verb->callback([options, &exit_code] { exit_code = serve(*options); });
}

}  // namespace stickslip::app
