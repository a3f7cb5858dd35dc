// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip live without a browser: who is let in, what a parameter does, and when it ends. web/tests/live.test.mjs has
// the page itself and the thousand hostile requests.
#include "tests/support/command.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

namespace {

using nlohmann::json;
using stickslip::testing::CommandTest;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(120);  // machines that test are busy

// Reads a file until `enough` or its end; what a hung up terminal or connection sends is all there is.
std::string read_until(int file, const std::function<bool(const std::string&)>& enough) {
  std::string text;
  const auto deadline = Clock::now() + kPatience;
  while (!enough(text) && Clock::now() < deadline) {
    pollfd wanted{file, POLLIN, 0};
    if (::poll(&wanted, 1, 100) <= 0) continue;
    char buffer[4096];
    const ssize_t count = ::read(file, buffer, sizeof buffer);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

// The command in a terminal of its own, which closes with the object.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& arguments) {
    std::vector<char*> words;
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    child_ = ::forkpty(&master_, nullptr, nullptr, nullptr);
    if (child_ < 0) throw std::runtime_error("no terminal to be had (is /dev/pts mounted?)");  // -1 is no one to kill
    if (child_ == 0) {
      ::execv(stickslip::tests::kCommand, words.data());
      ::_exit(127);
    }
    const std::string text =
        read_until(master_, [](const std::string& t) { return t.find('\n') != std::string::npos; });
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(R"(live: http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]+))"))) {
      ADD_FAILURE() << "no address was printed: " << text;
      return;
    }
    port = std::stoi(found[1]);
    token = found[2];
  }
  ~Terminal() {
    if (!ended_) ::kill(child_, SIGKILL);
    if (!ended_) ::waitpid(child_, nullptr, 0);
    hang_up();
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void hang_up() {
    if (master_ >= 0) ::close(master_);
    master_ = -1;
  }
  void send_signal(int number) const { ::kill(child_, number); }

  // Its exit code; none when it did not end by itself.
  std::optional<int> exit_code() {
    const auto deadline = Clock::now() + kPatience;
    int state = 0;
    while (Clock::now() < deadline) {
      if (::waitpid(child_, &state, WNOHANG) == child_) {
        ended_ = true;
        return WIFEXITED(state) ? std::optional(WEXITSTATUS(state)) : std::nullopt;
      }
      ::usleep(10'000);
    }
    return {};
  }

  int port = 0;
  std::string token;

 private:
  int master_ = -1;
  pid_t child_ = -1;
  bool ended_ = false;
};

class Connection {
 public:
  // `receive`: bytes that wait for us at most, before the other side has to hold back; 0: as usual.
  explicit Connection(int port, int receive = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive > 0) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive, sizeof receive);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string read(const std::function<bool(const std::string&)>& enough) const {
    return read_until(socket_, enough);
  }

 private:
  int socket_;
};

class Live : public CommandTest {
 protected:
  static std::vector<std::string> command(const std::string& name, int port = 0) {
    return {"stickslip", "live", std::string(stickslip::tests::kSourceFolder) + "/examples/" + name + "/scene.toml",
            "--port", std::to_string(port)};
  }
  static std::string ask(const Terminal& live, const std::string& text) {
    const Connection connection(live.port);
    connection.send(text);
    return connection.read([](const std::string&) { return false; });
  }
  static std::string host(const Terminal& live) { return "Host: 127.0.0.1:" + std::to_string(live.port) + "\r\n"; }
  // The status of a GET with the token.
  static int status(const Terminal& live, const std::string& path, const std::string& headers) {
    const std::string answer = ask(live, "GET " + path + "?token=" + live.token + " HTTP/1.1\r\n" + headers + "\r\n");
    return answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
  }
  static void control(const Terminal& live, const json& order) {
    const std::string body = order.dump();
    const std::string answer = ask(live, "POST /control?token=" + live.token + " HTTP/1.1\r\n" + host(live) +
                                             "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  }
  // The first frame of the event stream that is as wanted.
  static json frame(const Terminal& live, const std::function<bool(const json&)>& wanted) {
    const Connection stream(live.port);
    stream.send("GET /events?token=" + live.token + " HTTP/1.1\r\n" + host(live) + "\r\n");
    json found;
    std::size_t seen = 0;
    static_cast<void>(stream.read([&](const std::string& text) {
      for (std::size_t end = text.find("\n\n", seen); end != std::string::npos; end = text.find("\n\n", seen)) {
        const std::string message = text.substr(seen, end - seen);
        seen = end + 2;
        if (!message.starts_with("data: ")) continue;
        found = json::parse(message.substr(6));
        if (wanted(found)) return true;
      }
      return false;
    }));
    EXPECT_TRUE(found.is_object() && wanted(found)) << "no such frame came";
    return found;
  }
};

TEST_F(Live, OnlyThePageItselfIsLetInAndNothingElseCanBeRead) {
  const Terminal live(command("peg"));
  EXPECT_EQ(live.token.size(), 32U);
  EXPECT_EQ(status(live, "/", host(live)), 200);
  EXPECT_EQ(status(live, "/", "Host: localhost:" + std::to_string(live.port) + "\r\n"), 200);
  EXPECT_EQ(status(live, "/", "Host: evil.example\r\n"), 403) << "a name that was rebound to this machine";
  EXPECT_EQ(status(live, "/", ""), 403) << "no host at all";
  EXPECT_EQ(status(live, "/", host(live) + "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status(live, "/", host(live) + "Origin: null\r\n"), 403);
  EXPECT_EQ(status(live, "/events", host(live) + "Origin: http://evil.example\r\n"), 403);
  EXPECT_THAT(ask(live, "GET / HTTP/1.1\r\n" + host(live) + "\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask(live, "GET /?token= HTTP/1.1\r\n" + host(live) + "\r\n"), StartsWith("HTTP/1.1 403"));
  for (const char* path :
       {"/etc/passwd", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/scene.toml"})
    EXPECT_EQ(status(live, path, host(live)), 404) << path;
}

TEST_F(Live, ListensOnTheLoopbackAddressOnly) {
  const Terminal live(command("peg"));
  std::ifstream table("/proc/net/tcp");
  const std::string port = fmt::format(":{:04X} ", live.port);
  std::string line, listeners;
  while (std::getline(table, line))
    if (line.find(port + "00000000:0000 0A") != std::string::npos) listeners += line;  // 0A: listens
  EXPECT_THAT(listeners, HasSubstr(" 0100007F" + port)) << "127.0.0.1";
  EXPECT_THAT(listeners, ::testing::Not(HasSubstr(" 00000000" + port))) << "all addresses";
}

TEST_F(Live, ASecondOneTakesAFreePort) {
  const Terminal first(command("peg"));
  const Terminal second(command("peg", first.port));
  EXPECT_NE(second.port, first.port);
  EXPECT_NE(second.token, first.token);
  EXPECT_EQ(status(first, "/", host(first)), 200);
  EXPECT_EQ(status(second, "/", host(second)), 200);
  EXPECT_THAT(ask(second, "GET /?token=" + first.token + " HTTP/1.1\r\n" + host(second) + "\r\n"),
              StartsWith("HTTP/1.1 403"));
}

TEST_F(Live, EndsWhenTheTerminalCloses) {
  Terminal live(command("peg"));
  live.hang_up();
  EXPECT_EQ(live.exit_code(), 0);
}

TEST_F(Live, EndsWithControlCAlsoWhileItRuns) {
  Terminal live(command("meter-stick"));
  control(live, {{"do", "play"}});
  live.send_signal(SIGINT);
  EXPECT_EQ(live.exit_code(), 0);
}

// The step never ends (tests/support/waiting_plugin.cpp): whatever is answered is answered while it computes.
TEST_F(Live, AnswersAndEndsWhileAStepComputes) {
  const std::string begun = path("begun");
  ::setenv("STICKSLIP_TEST_STEP_BEGUN", begun.c_str(), 1);
  std::vector<std::string> words = command("peg");
  for (const char* word : {"--set", "method.stepper=waiting", "--plugin"}) words.emplace_back(word);
  words.push_back(std::string(stickslip::tests::kBuildFolder) + "/tests/waiting_plugin.so");
  Terminal live(words);
  ::unsetenv("STICKSLIP_TEST_STEP_BEGUN");
  control(live, {{"do", "step"}});
  for (const auto deadline = Clock::now() + kPatience; !std::filesystem::exists(begun) && Clock::now() < deadline;)
    ::usleep(10'000);
  ASSERT_TRUE(std::filesystem::exists(begun)) << "no step was begun";
  EXPECT_EQ(status(live, "/scene", host(live)), 200);
  EXPECT_EQ(status(live, "/recording", host(live)), 200);
  EXPECT_EQ(status(live, "/", host(live)), 200);
  const json now = frame(live, [](const json&) { return true; });
  EXPECT_EQ(now["steps"], 0);
  live.send_signal(SIGINT);
  EXPECT_EQ(live.exit_code(), 0);
}

TEST_F(Live, BadScenesAreRefusedBeforeAnythingIsServed) {
  write("scene.toml", "dimension = 7\n");
  const auto outcome = run("live scene.toml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
}

// The left finger (body 1) goes on from where it is, with its new speed.
TEST_F(Live, AChangedSpeedMovesTheFingerFromItsPlace) {
  const Terminal live(command("meter-stick"));
  const auto finger = [](const json& f) { return f["poses"][8].get<double>(); };
  const auto time = [](const json& f) { return f["time"].get<double>(); };
  for (int k = 0; k < 20; ++k) control(live, {{"do", "step"}});
  const json before = frame(live, [](const json& f) { return f["steps"] == 20; });
  EXPECT_NEAR(finger(before), -0.4 + 0.1 * time(before), 1e-6);
  control(live, {{"do", "set"}, {"name", "speed"}, {"value", 0.25}});
  for (int k = 0; k < 40; ++k) control(live, {{"do", "step"}});
  const json after = frame(live, [](const json& f) { return f["steps"] == 60; });
  EXPECT_NEAR(finger(after) - finger(before), 0.25 * (time(after) - time(before)), 1e-6);
  EXPECT_FALSE(after["playing"].get<bool>());
  control(live, {{"do", "reset"}});
  const json reset = frame(live, [](const json& f) { return f["steps"] == 0; });
  EXPECT_EQ(time(reset), 0);
  EXPECT_NEAR(finger(reset), -0.4, 1e-6);
}

// A stick that suddenly is four times as thick rests on the fingers as before, only higher.
TEST_F(Live, ABodyThatGrowsIsMovedAsideWithoutVelocity) {
  const Terminal live(command("meter-stick"));
  for (int k = 0; k < 5; ++k) control(live, {{"do", "step"}});
  control(live, {{"do", "set"}, {"name", "half_thickness"}, {"value", 0.01}});
  for (int k = 0; k < 20; ++k) control(live, {{"do", "step"}});
  const json after = frame(live, [](const json& f) { return f["steps"] == 25; });
  EXPECT_NEAR(after["poses"][1].get<double>(), 0.01, 1e-6) << "the height of the stick";
  EXPECT_EQ(after["contacts"].size(), 2U) << "both fingers carry it";
}

// Pages that ask and never read, as in a browser that sleeps: one for events, one for the page, which is larger than
// what the system keeps for a client.
TEST_F(Live, NobodyWaitsForAPageThatDoesNotRead) {
  const Terminal live(command("meter-stick"));
  const Connection asleep(live.port, 2048), fast_asleep(live.port, 2048);
  asleep.send("GET /events?token=" + live.token + " HTTP/1.1\r\n" + host(live) + "\r\n");
  fast_asleep.send("GET /?token=" + live.token + " HTTP/1.1\r\n" + host(live) + "\r\n");
  control(live, {{"do", "speed"}, {"value", 100}});
  control(live, {{"do", "play"}});
  const json last = frame(live, [](const json& f) { return f["time"] > 7.99; });
  EXPECT_LE(last["worst"].get<double>(), 1e-9);
}

}  // namespace
