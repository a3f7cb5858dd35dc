// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A small HTTP/1.1 server for one page on this machine. It listens on the loopback address only, answers each request
// from a handler and closes the connection; a client that asks for the event stream (server-sent events) stays and gets
// messages as they are published. One thread, poll(), no waiting for any client:
//
//   - a request must arrive within seconds and within fixed sizes, or is answered with an error and closed;
//   - a client that reads slowly skips messages; it never holds up the others or the publisher.
//
// Every request must carry the token and name this server as its host; a request from another page (Origin) is refused.
// So a web page elsewhere, even one that rebinds its name to 127.0.0.1, can neither read nor steer.
//
// Ours instead of a library that gives each connection a thread (cpp-httplib): clients that stay, stall or read slowly
// must cost no thread and delay no other client.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace stickslip::app {

struct HttpRequest {
  std::string method, path, body;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string file_name = {};  // not empty: to be saved under this name
};

// What a client must know; another one for every server.
[[nodiscard]] std::string new_token();

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens at once. Takes `port` or, when it is taken (or 0), any free one. Throws std::runtime_error.
  HttpServer(int port, std::string token, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] int port() const { return port_; }

  // Serves until stop() is called; stop() may be called from a signal handler.
  void serve();
  void stop();

  // For the event stream, from any thread. A setting reaches every client, now or when it comes, before any later
  // frame; of frames only the newest counts.
  void publish_setting(std::string message);
  void publish_frame(std::string message);

 private:
  struct Client;
  using Text = std::shared_ptr<const std::string>;

  void accept_clients();
  void read_from(Client& client);
  void write_to(Client& client);
  void feed(Client& client);
  void answer(Client& client);
  void respond(Client& client, const HttpResponse& response);
  void wake();
  [[nodiscard]] bool ours(const std::string& host) const;

  int port_ = 0, listener_ = -1, wake_read_ = -1, wake_write_ = -1;
  std::string token_;
  Handler handler_;
  std::list<Client> clients_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;  // guards what is published
  Text setting_, frame_;
  std::uint64_t setting_number_ = 0, frame_number_ = 0;
};

}  // namespace stickslip::app
