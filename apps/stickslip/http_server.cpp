// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "http_server.h"

#include "http_request.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <random>
#include <stdexcept>
#include <vector>

namespace stickslip::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostClients = 256;
constexpr auto kRequestTime = std::chrono::seconds(10);  // for a whole request, and for a stalled answer
constexpr auto kLinger = std::chrono::seconds(1);        // for a client to read its answer before we hang up
constexpr int kTick = 250;                               // ms between looks at the clock

// The page is one file: scripts and styles are inside it, and it connects to no other host.
constexpr const char* kHeaders =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'\r\n";

const char* reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    default: return "Error";
  }
}

void make_nonblocking(int file) {
  ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
  ::fcntl(file, F_SETFD, FD_CLOEXEC);
}

// Takes as long for a token that is wrong in its first letter as for one wrong in its last.
bool same_token(const std::string& given, const std::string& token) {
  unsigned difference = given.size() == token.size() ? 0U : 1U;
  for (std::size_t k = 0; k < token.size(); ++k)
    difference |= static_cast<unsigned char>(token[k]) ^ static_cast<unsigned char>(k < given.size() ? given[k] : 0);
  return difference == 0;
}

}  // namespace

std::string new_token() {
  std::random_device random;
  std::string token;
  for (int k = 0; k < 4; ++k) token += fmt::format("{:08x}", random());
  return token;
}

struct HttpServer::Client {
  int socket = -1;
  RequestParser parser;
  std::string out;
  std::size_t sent = 0;
  bool answered = false, streaming = false, finished = false, closed = false;
  std::uint64_t setting_seen = 0, frame_seen = 0;
  Clock::time_point since = Clock::now();  // of the connection, or of the last progress of an answer
};

HttpServer::HttpServer(int port, std::string token, Handler handler)
    : token_(std::move(token)), handler_(std::move(handler)) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that goes away is no reason to end
  listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto bind_to = [&](int wanted) {
    address.sin_port = htons(static_cast<std::uint16_t>(wanted));
    return ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  };
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // Linux lets two listeners bind with SO_REUSEADDR only when neither listens yet, so the second one gets a free port.
  bool good = listener_ >= 0 && (bind_to(port) || bind_to(0)) && ::listen(listener_, 64) == 0;
  socklen_t size = sizeof address;
  good = good && ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  int ends[2] = {-1, -1};
  good = good && ::pipe(ends) == 0;
  if (!good) {
    if (listener_ >= 0) ::close(listener_);
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  wake_read_ = ends[0], wake_write_ = ends[1];
  for (const int file : {listener_, wake_read_, wake_write_}) make_nonblocking(file);
}

HttpServer::~HttpServer() {
  for (const Client& client : clients_) ::close(client.socket);
  for (const int file : {listener_, wake_read_, wake_write_}) ::close(file);
}

void HttpServer::wake() {
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_write_, &byte, 1);  // full: it is awake already
}

void HttpServer::stop() {
  stopping_ = true;
  wake();
}

void HttpServer::publish_setting(std::string message) {
  auto text = std::make_shared<const std::string>(fmt::format("event: setting\ndata: {}\n\n", message));
  {
    const std::lock_guard lock(mutex_);
    setting_ = std::move(text);
    ++setting_number_;
    frame_.reset();  // frames of an older setting do not fit
  }
  wake();
}

void HttpServer::publish_frame(std::string message) {
  auto text = std::make_shared<const std::string>(fmt::format("data: {}\n\n", message));
  {
    const std::lock_guard lock(mutex_);
    frame_ = std::move(text);
    ++frame_number_;
  }
  wake();
}

void HttpServer::serve() {
  std::vector<pollfd> files;
  while (!stopping_) {
    files.assign({{listener_, POLLIN, 0}, {wake_read_, POLLIN, 0}});
    for (const Client& client : clients_) {
      const bool writing = client.sent < client.out.size();
      files.push_back({client.socket, static_cast<short>(POLLIN | (writing ? POLLOUT : 0)), 0});
    }
    if (::poll(files.data(), files.size(), kTick) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
    char drain[256];
    while (::read(wake_read_, drain, sizeof drain) > 0) {
    }
    std::size_t index = 2;
    for (Client& client : clients_) {
      const short events = files[index++].revents;
      if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) read_from(client);
      if (client.streaming) feed(client);
      if (client.sent < client.out.size()) write_to(client);
      const bool waiting = !client.finished && (!client.streaming || client.sent < client.out.size());
      if (client.finished && Clock::now() - client.since > kLinger) client.closed = true;
      if (waiting && Clock::now() - client.since > kRequestTime) {
        if (!client.answered) {
          respond(client, {408, "text/plain", "the request did not arrive in time\n"});
          write_to(client);
        }
        client.closed = true;
      }
      if (client.closed) ::close(client.socket);
    }
    clients_.remove_if([](const Client& client) { return client.closed; });
    if ((files[0].revents & POLLIN) != 0) accept_clients();
  }
}

void HttpServer::accept_clients() {
  for (;;) {
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) return;
    if (clients_.size() >= kMostClients) {
      ::close(socket);
      continue;
    }
    make_nonblocking(socket);
    clients_.emplace_back().socket = socket;
  }
}

void HttpServer::read_from(Client& client) {
  char buffer[16384];
  for (;;) {
    const ssize_t count = ::recv(client.socket, buffer, sizeof buffer, 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (count <= 0) {
      // The other side is done sending; an answer on its way still goes out.
      const bool sending = client.answered && !client.streaming && client.sent < client.out.size();
      client.closed = count < 0 || !sending;
      return;
    }
    if (client.answered) continue;  // more than one request: the rest is dropped
    client.parser.add({buffer, static_cast<std::size_t>(count)});
    if (client.parser.done()) answer(client);
  }
}

bool HttpServer::ours(const std::string& host) const {
  return host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
}

void HttpServer::answer(Client& client) {
  const RequestParser& request = client.parser;
  const std::string origin = request.header("origin");
  const auto refuse = [&](int status, const char* text) { respond(client, {status, "text/plain", text}); };
  if (request.error() != 0) return refuse(request.error(), "this request cannot be understood\n");
  if (!ours(request.header("host"))) return refuse(403, "this server answers to 127.0.0.1 only\n");
  if (!origin.empty() && !(origin.starts_with("http://") && ours(origin.substr(7))))
    return refuse(403, "requests from other pages are refused\n");
  if (!same_token(request.query("token"), token_))
    return refuse(403, "open the address that stickslip live printed, with its token\n");
  if (request.method() != "GET" && request.method() != "POST") return refuse(405, "GET and POST only\n");
  if (request.method() == "GET" && request.path() == "/events") {
    client.answered = client.streaming = true;
    client.out =
        fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n{}\r\n", kHeaders);
    client.since = Clock::now();
    return;
  }
  try {
    respond(client, handler_({request.method(), request.path(), request.body()}));
  } catch (const std::exception& error) {
    respond(client, {500, "text/plain; charset=utf-8", fmt::format("{}\n", error.what())});
  }
}

void HttpServer::respond(Client& client, const HttpResponse& response) {
  client.answered = true;
  client.since = Clock::now();
  std::string extra;
  if (!response.file_name.empty())
    extra = fmt::format("Content-Disposition: attachment; filename=\"{}\"\r\n", response.file_name);
  client.out =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n{}{}\r\n",
                  response.status, reason(response.status), response.type, response.body.size(), extra, kHeaders);
  client.out += response.body;
  client.sent = 0;
}

// The next message, when the last one is out.
void HttpServer::feed(Client& client) {
  if (client.sent < client.out.size()) return;
  Text setting, frame;
  {
    const std::lock_guard lock(mutex_);
    if (client.setting_seen != setting_number_) setting = setting_;
    if (client.frame_seen != frame_number_) frame = frame_;
    client.setting_seen = setting_number_;
    client.frame_seen = frame_number_;
  }
  client.out.clear();
  client.sent = 0;
  if (setting) client.out += *setting;
  if (frame) client.out += *frame;
  client.since = Clock::now();
}

void HttpServer::write_to(Client& client) {
  while (client.sent < client.out.size()) {
    const ssize_t count =
        ::send(client.socket, client.out.data() + client.sent, client.out.size() - client.sent, MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) client.closed = true;
      return;
    }
    client.sent += static_cast<std::size_t>(count);
    client.since = Clock::now();
  }
  if (client.streaming) return;
  // Closing with unread bytes would cut the answer off: hang up gently.
  ::shutdown(client.socket, SHUT_WR);
  client.finished = true;
}

}  // namespace stickslip::app
