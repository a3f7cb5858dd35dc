// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A live session in a browser: what worker.js calls. The scene's files are written to the memory that stands for a disk
// here; settings and frames go out by publish() as stickslip live sends them, commands come in as it takes them
// (docs/live-protocol.md). One thread: the worker gives the session its turns.
#include "live_commands.h"
#include "live_session.h"

#include <emscripten.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace stickslip;

EM_JS(void, publish, (const char* kind, const char* text),
      { Module["publish"](UTF8ToString(kind), UTF8ToString(text)); });

namespace {

std::unique_ptr<app::LiveSession> session;

// What a function has returned stays until the next one returns.
const char* kept(std::string text) {
  static std::string last;
  last = std::move(text);
  return last.c_str();
}

}  // namespace

extern "C" {

// In parts.
EMSCRIPTEN_KEEPALIVE void stickslip_file(const char* path, const char* bytes, int count) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::app).write(bytes, count);
}

// `values`: a JSON object of parameters that are not as in the scene, each a text. What is wrong, or nothing.
EMSCRIPTEN_KEEPALIVE const char* stickslip_open(const char* scene, const char* values) {
  try {
    std::vector<scene::Override> overrides;
    const nlohmann::json given = nlohmann::json::parse(values);
    for (const auto& [name, value] : given.items()) overrides.push_back({name, value.get<std::string>()});
    session = std::make_unique<app::LiveSession>(
        scene, std::move(overrides),
        app::LiveSession::Publisher{[](const std::string& text) { publish("setting", text.c_str()); },
                                    [](const std::string& text) { publish("frame", text.c_str()); }},
        nullptr);
  } catch (const std::exception& error) {
    return kept(error.what());
  }
  return "";
}

// For how many milliseconds nothing else has to be done, unless a command comes.
EMSCRIPTEN_KEEPALIVE int stickslip_turn() {
  const auto pause = session->turn();
  return pause ? static_cast<int>(pause->count()) : -1;
}

// What is wrong with the command itself, or nothing.
EMSCRIPTEN_KEEPALIVE const char* stickslip_command(const char* text) {
  return kept(app::command(*session, text));
}

// Between turns.
EMSCRIPTEN_KEEPALIVE const char* stickslip_scene() {
  return kept(session->scene_text());
}

// Time and, for each body, position, orientation (w x y z), angle and velocities, in all digits.
EMSCRIPTEN_KEEPALIVE const char* stickslip_state() {
  nlohmann::json bodies = nlohmann::json::array();
  const model::State& state = session->state();
  for (const model::BodyState& body : state.bodies) {
    const Vec3 &x = body.pose.position, &v = body.velocity.linear, &w = body.velocity.angular;
    const Quat& q = body.pose.orientation;
    bodies.push_back(
        {x.x(), x.y(), x.z(), q.w(), q.x(), q.y(), q.z(), body.angle, v.x(), v.y(), v.z(), w.x(), w.y(), w.z()});
  }
  return kept(nlohmann::json{{"time", state.time}, {"bodies", bodies}}.dump());
}

}  // extern "C"
