// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_commands.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace stickslip::app {
namespace {

using Json = nlohmann::json;

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
std::string touch(LiveSession& session, const std::string& what, const Json& request) {
  const Json body = request.value("body", Json());
  const auto from = vector_of(request.value("from", Json())), to = vector_of(request.value("to", Json())),
             impulse = vector_of(request.value("impulse", Json()));
  if (!body.is_string()) return "the name of a body is missing";
  if (what == "pull") {
    if (!from || !to) return "pull needs two points, from and to";
    session.pull(body.get<std::string>(), *from, *to);
  } else {
    if (!impulse) return "push needs an impulse";
    session.push(body.get<std::string>(), *impulse);
  }
  return {};
}

}  // namespace

std::string command(LiveSession& session, const std::string& text) {
  const Json request = Json::parse(text, nullptr, false);
  if (!request.is_object() || !request.contains("do") || !request["do"].is_string()) return "a command is missing";
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
      return "a speed must be a number > 0";
    session.set_speed(value.get<double>());
  } else if (what == "release") {
    session.release();
  } else if (what == "pull" || what == "push") {
    return touch(session, what, request);
  } else if (what == "rewind") {
    if (!value.is_number()) return "rewind needs a time";
    session.rewind(value.get<double>());
  } else if (what == "ending") {
    const std::optional<Ending> ending = value.is_string() ? ending_from(value.get<std::string>()) : std::nullopt;
    if (!ending) return "an ending is go-on, stop or loop";
    session.set_ending(*ending);
  } else if (what == "default") {
    const Json name = request.value("name", Json());
    if (!name.is_string()) return "default needs a name";
    session.set_default(name.get<std::string>());
  } else if (what == "set") {
    const Json name = request.value("name", Json());
    if (!name.is_string() || !(value.is_number() || value.is_string())) return "set needs a name and a value";
    session.set(name.get<std::string>(),
                value.is_string() ? value.get<std::string>() : fmt::format("{}", value.get<double>()));
  } else {
    return "there is no such command";
  }
  return {};
}

}  // namespace stickslip::app
