// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "video.h"

#include "http_server.h"
#include "temporary_folder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace stickslip::app {
namespace {

constexpr auto kTick = std::chrono::milliseconds(20);

// What the page sent back.
struct Film {
  std::string bytes, failure;
  std::atomic<bool> ended = false;
};

HttpResponse handle(const std::string& page, Film& film, const HttpRequest& request) {
  const bool get = request.method == "GET";
  if (get && request.path == "/") return {200, "text/html; charset=utf-8", page};
  if (!get && request.path == "/video") {
    film.bytes += request.body;
  } else if (!get && (request.path == "/done" || request.path == "/failed")) {
    if (request.path == "/failed") film.failure = request.body;
    film.ended = true;
  } else {
    return {404, "text/plain", "there is nothing here\n"};
  }
  return {200, "application/json", "{}"};
}

// Chromium without a window; ends with the object.
class Browser {
 public:
  explicit Browser(const std::string& address) {
    std::vector<std::string> arguments{"",
                                       "--headless=new",
                                       "--use-angle=swiftshader",
                                       "--enable-unsafe-swiftshader",
                                       "--disable-background-timer-throttling",
                                       "--disable-background-networking",
                                       "--disable-component-update",
                                       "--disable-sync",
                                       "--no-first-run",
                                       "--hide-scrollbars",
                                       "--force-color-profile=srgb",
                                       fmt::format("--user-data-dir={}", profile_.path().string()),
                                       "--window-size=1280,900"};
    if (::geteuid() == 0) arguments.emplace_back("--no-sandbox");  // which the superuser cannot have
    arguments.push_back(address);
    const char* given = std::getenv("STICKSLIP_CHROMIUM");
    const std::vector<std::string> names =
        given != nullptr
            ? std::vector<std::string>{given}
            : std::vector<std::string>{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
    for (const std::string& name : names) {
      arguments.front() = name;
      std::vector<char*> list;
      for (std::string& argument : arguments) list.push_back(argument.data());
      list.push_back(nullptr);
      if (::posix_spawnp(&process_, name.c_str(), &files, nullptr, list.data(), environ) == 0) break;
      process_ = 0;
    }
    posix_spawn_file_actions_destroy(&files);
    if (process_ == 0)
      throw VideoError(
          fmt::format("a video needs Chromium, and there is no {} (STICKSLIP_CHROMIUM names another one); "
                      "the page itself saves videos in any browser",
                      given != nullptr ? given : "chromium, chromium-browser or google-chrome"));
  }
  ~Browser() {
    if (running()) {
      ::kill(process_, SIGTERM);
      ::waitpid(process_, nullptr, 0);
    }
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  bool running() {
    if (process_ != 0 && ::waitpid(process_, nullptr, WNOHANG) == process_) process_ = 0;
    return process_ != 0;
  }

 private:
  TemporaryFolder profile_;
  pid_t process_ = 0;
};

}  // namespace

std::string film(const std::string& page, double seconds) {
  Film film;
  const std::string token = new_token();
  HttpServer server(0, token, [&](const HttpRequest& request) { return handle(page, film, request); });
  const std::jthread serving([&] { server.serve(); });
  struct Stop {
    HttpServer& server;
    ~Stop() { server.stop(); }
  } const stop{server};
  Browser browser(fmt::format("http://127.0.0.1:{}/?token={}#film={}", server.port(), token, seconds));
  while (!film.ended && browser.running()) std::this_thread::sleep_for(kTick);
  if (!film.failure.empty()) throw VideoError("Chromium made no video: " + film.failure);
  if (!film.ended || film.bytes.empty()) throw VideoError("Chromium ended without a video");
  return film.bytes;
}

}  // namespace stickslip::app
