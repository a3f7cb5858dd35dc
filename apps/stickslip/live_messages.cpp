// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_messages.h"

#include "method_json.h"
#include "recording_info.h"

#include "stickslip/report/json_number.h"
#include "stickslip/report/moment.h"
#include "stickslip/report/setting_json.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace stickslip::app {
namespace {

using Json = nlohmann::json;
using report::number;

// A float's digits are more than a screen shows.
void put(Json& list, const Vec3& v) {
  for (int k = 0; k < 3; ++k) list.push_back(std::isfinite(v[k]) ? static_cast<float>(v[k]) : 0.0F);
}

}  // namespace

std::string_view to_string(Ending ending) {
  return ending == Ending::Stop ? "stop" : ending == Ending::Loop ? "loop" : "go-on";
}

std::optional<Ending> ending_from(std::string_view text) {
  for (const Ending ending : {Ending::GoOn, Ending::Stop, Ending::Loop})
    if (to_string(ending) == text) return ending;
  return {};
}

double comfortable_speed(double duration) {
  constexpr double kSeconds = 12, kShort = 2, kLong = 30, kEndless = 1e4;
  if (!(duration > 0) || (duration > kShort && duration < kLong) || duration > kEndless) return 1;
  double best = 1;  // of 1, 2 and 5 times powers of ten
  for (double power = 1e-6; power <= 1e6; power *= 10)
    for (const double speed : {power, 2 * power, 5 * power})
      if (std::fabs(std::log(duration / speed / kSeconds)) < std::fabs(std::log(duration / best / kSeconds)))
        best = speed;
  return std::clamp(best, 0.001, 100.0);
}

SliderRange slider_range(const scene::Parameter& parameter) {
  const double v = parameter.value;
  if (!parameter.choices.empty()) {
    const auto [low, high] = std::ranges::minmax(parameter.choices);
    return {low, high, v};
  }
  SliderRange range{v > 0 ? 0 : v < 0 ? 3 * v : -1, v > 0 ? 3 * v : v < 0 ? 0 : 1, v};
  if (std::isfinite(parameter.min)) range.low = parameter.min;
  if (std::isfinite(parameter.max)) range.high = parameter.max;
  // Friction coefficients and the like: a limit far from the value makes a useless slider.
  if (v > 0 && range.high > 100 * v) range.high = std::max(10 * v, range.low);
  if (!(range.high > range.low)) range.high = range.low + std::max(1.0, std::fabs(range.low));
  return range;
}

std::string setting_message(const scene::Scene& scene, const SliderRanges& ranges, int number_of_setting,
                            const std::string& notice, const std::string& refused) {
  Json out = report::setting_json(describe(scene));
  out["number"] = number_of_setting;
  out["notice"] = notice;
  out["refused"] = refused;
  for (std::size_t k = 0; k < scene.parameters.size(); ++k) {
    const SliderRange& range = ranges.at(scene.parameters[k].name);
    out["parameters"][k]["low"] = range.low;
    out["parameters"][k]["high"] = range.high;
    out["parameters"][k]["usual"] = range.usual;
    out["parameters"][k]["choices"] = scene.parameters[k].choices;
    out["parameters"][k]["group"] = scene.parameters[k].group;
    out["parameters"][k]["derived"] = scene.parameters[k].derived;
  }
  Json steppers = Json::array();
  for (const auto& stepper : stepping::steppers()) steppers.push_back(stepper.name);
  out["method"] = method_json(scene.method);
  out["method"]["text"] = stepping::summary_of(scene.method);
  out["method"]["steppers"] = std::move(steppers);
  out["version"] = STICKSLIP_VERSION;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string frame_message(const simulation::Simulation& run, std::span<const double> observables,
                          const LiveStatus& status) {
  Json poses = Json::array(), contacts = Json::array(), values = Json::array();
  Json velocities = Json::array();
  for (const model::BodyState& body : run.state().bodies) {
    put(velocities, body.velocity.linear);
    put(velocities, body.velocity.angular);
    put(poses, body.pose.position);
    const Quat& q = body.pose.orientation;
    for (const double c : {q.w(), q.x(), q.y(), q.z()}) poses.push_back(static_cast<float>(c));
    poses.push_back(static_cast<float>(body.angle));
  }
  for (const contact::ContactResult& c : status.before.empty() ? std::span(run.contacts()) : status.before) {
    if (c.mode == contact::Mode::Open) continue;
    const int a = c.contact.id.body_a, b = c.contact.id.body_b, surface = run.model().surface_between(a, b);
    const double friction =
        surface >= 0 ? run.model().surfaces[static_cast<std::size_t>(surface)].friction_static : 0.0;
    Json row = Json::array({a, b, static_cast<int>(c.mode), friction});
    put(row, 0.5 * (c.contact.point_a + c.contact.point_b));
    const double sign = report::on_second_body(run.model(), c) ? -1 : 1;
    put(row, sign * c.contact.normal);
    put(row, sign * c.force);
    row.push_back(static_cast<float>(c.contact.gap));
    contacts.push_back(std::move(row));
  }
  for (const double x : observables) values.push_back(number(x));
  const simulation::Counters& counters = run.counters();
  const report::Energy energy = report::energy_of(run.model(), run.state());
  Json out{{"setting", status.setting},
           {"time", run.time()},
           {"playing", status.playing},
           {"speed", status.speed},
           {"rate", status.rate},
           {"steps", counters.steps},
           {"residual", number(run.last_report().residual)},
           {"worst", number(counters.worst_residual)},
           {"at_worst", counters.at_worst},
           {"poses", std::move(poses)},
           {"velocities", std::move(velocities)},
           {"contacts", std::move(contacts)},
           {"observables", std::move(values)},
           {"energy", {number(energy.kinetic), number(energy.potential)}},
           {"ending", to_string(status.ending)},
           {"kept", status.kept}};
  if (status.hand != nullptr) {
    Json from = Json::array(), to = Json::array(), force = Json::array();
    put(from, status.hand->point(run.state()));
    put(to, status.hand->pushes() ? status.hand->point(run.state()) : status.hand->target);
    put(force, status.hand->force_at(run.state()));
    out["hand"] = {{"body", status.hand->body}, {"from", from}, {"to", to}, {"force", force}};
  }
  return out.dump();
}

std::string saved_scene(const std::string& file, const scene::Scene& scene,
                        const std::map<std::string, std::string>& overrides) {
  std::string text = fmt::format(
      "# Saved by stickslip live {}. Parameters and method as they were; the rest is included.\n", STICKSLIP_VERSION);
  text += fmt::format("include = [{}]\n", scene::toml_text(std::filesystem::absolute(file).string()));
  if (overrides.contains("duration")) text += fmt::format("duration = {}\n", scene.duration);
  text += "\n[parameters]\n";
  for (const scene::Parameter& parameter : scene.parameters)
    if (overrides.contains(parameter.name)) text += fmt::format("{} = {}\n", parameter.name, parameter.value);
  text += "\n[method]\n";
  stepping::visit_fields(scene.method, [&](const stepping::FieldInfo& info, const auto& value) {
    if (overrides.contains("method." + std::string(info.name))) text += scene::method_line(info, value);
  });
  return text;
}

}  // namespace stickslip::app
