// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::recording {
namespace {

Vec3 vec3(const Array& array, std::size_t row) {
  return Vec3::Map(array.values.data() + 3 * row);
}

}  // namespace

Recording::Recording(const std::string& path) : file_(open_file(path, false)) {
  if (!exists(file_, "/time") || !exists(file_, "/state/position") || !exists(file_, "/scene"))
    throw RecordingError(fmt::format("{} is an HDF5 file, but no recording of stickslip", path));
  info_.scene = read_text(file_, "/scene");
  info_.version = read_text(file_, "/version");
  info_.method = read_text(file_, "/method");
  info_.bodies = read_names(file_, "/bodies");
  info_.observables = read_names(file_, "/observables");
  if (exists(file_, "/model")) info_.model = read_text(file_, "/model");
  if (exists(file_, "/plan")) info_.plan = read_text(file_, "/plan");
  if (exists(file_, "/end"))
    for (const double byte : read_array(file_, "/end").values) end_ += static_cast<char>(static_cast<int>(byte));
  time_ = read_array(file_, "/time").values;
  position_ = read_array(file_, "/state/position");
  orientation_ = read_array(file_, "/state/orientation");
  angle_ = read_array(file_, "/state/angle");
  velocity_ = read_array(file_, "/state/velocity");
  angular_velocity_ = read_array(file_, "/state/angular_velocity");
  first_ = read_array(file_, "/contacts/first");
  contact_bodies_ = read_array(file_, "/contacts/bodies");
  contact_features_ = read_array(file_, "/contacts/features");
  contact_mode_ = read_array(file_, "/contacts/mode");
  gap_ = read_array(file_, "/contacts/gap");
  point_ = read_array(file_, "/contacts/point");
  normal_ = read_array(file_, "/contacts/normal");
  force_ = read_array(file_, "/contacts/force");
  slip_ = read_array(file_, "/contacts/slip");
  // A run that was killed may have written more of one array than of another.
  const auto rows = [](const Array& array) { return array.shape.empty() ? std::size_t{0} : array.shape[0]; };
  std::size_t frames = time_.size();
  for (const Array* array : {&position_, &orientation_, &angle_, &velocity_, &angular_velocity_, &first_})
    frames = std::min(frames, rows(*array));
  time_.resize(frames);
  const std::size_t bodies = info_.bodies.size();
  if (position_.values.size() < 3 * bodies * frames || orientation_.values.size() < 4 * bodies * frames)
    throw RecordingError(fmt::format("{}: the arrays do not fit the number of bodies", path));
}

model::State Recording::state(std::size_t frame) const {
  model::State state;
  state.time = time_.at(frame);
  state.bodies.resize(info_.bodies.size());
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const std::size_t row = frame * state.bodies.size() + b;
    const double* q = orientation_.values.data() + 4 * row;
    state.bodies[b].pose.position = vec3(position_, row);
    state.bodies[b].pose.orientation = Quat(q[0], q[1], q[2], q[3]);
    state.bodies[b].angle = angle_.values[row];
    state.bodies[b].velocity.linear = vec3(velocity_, row);
    state.bodies[b].velocity.angular = vec3(angular_velocity_, row);
  }
  return state;
}

std::vector<contact::ContactResult> Recording::contacts(std::size_t frame) const {
  const std::size_t begin = static_cast<std::size_t>(first_.values.at(frame));
  // The last frame ends where the shortest of the tables does.
  std::size_t end = std::min({gap_.values.size(), contact_mode_.values.size(), contact_bodies_.values.size() / 2,
                              contact_features_.values.size() / 4, point_.values.size() / 3, normal_.values.size() / 3,
                              force_.values.size() / 3, slip_.values.size() / 3});
  if (frame + 1 < first_.values.size()) end = std::min(end, static_cast<std::size_t>(first_.values[frame + 1]));
  std::vector<contact::ContactResult> results;
  for (std::size_t row = begin; row < end; ++row) {
    contact::ContactResult c;
    const auto integer = [&](const Array& array, std::size_t width, std::size_t k) {
      return static_cast<std::int32_t>(array.values[width * row + k]);
    };
    c.contact.id.body_a = integer(contact_bodies_, 2, 0);
    c.contact.id.body_b = integer(contact_bodies_, 2, 1);
    c.contact.id.shape_a = integer(contact_features_, 4, 0);
    c.contact.id.feature_a = integer(contact_features_, 4, 1);
    c.contact.id.shape_b = integer(contact_features_, 4, 2);
    c.contact.id.feature_b = integer(contact_features_, 4, 3);
    c.contact.gap = gap_.values[row];
    c.contact.normal = vec3(normal_, row);
    c.contact.point_a = vec3(point_, row) + 0.5 * c.contact.gap * c.contact.normal;
    c.contact.point_b = vec3(point_, row) - 0.5 * c.contact.gap * c.contact.normal;
    c.mode = static_cast<contact::Mode>(contact_mode_.values[row]);
    c.force = vec3(force_, row);
    c.relative_velocity = vec3(slip_, row);
    results.push_back(c);
  }
  return results;
}

std::vector<double> Recording::observable(const std::string& name) const {
  if (std::find(info_.observables.begin(), info_.observables.end(), name) == info_.observables.end())
    throw RecordingError(fmt::format("the recording has no observable \"{}\"", name));
  std::vector<double> values = read_array(file_, "/observe/" + name).values;
  values.resize(std::min(values.size(), frames()));
  return values;
}

std::vector<double> Recording::residual() const {
  std::vector<double> values = read_array(file_, "/certificate/residual").values;
  values.resize(std::min(values.size(), frames()));
  return values;
}

std::vector<ModeChange> Recording::events() const {
  const Array time = read_array(file_, "/events/time");
  const Array bodies = read_array(file_, "/events/bodies");
  const Array mode = read_array(file_, "/events/mode");
  const std::size_t count = std::min({time.values.size(), bodies.values.size() / 2, mode.values.size() / 2});
  std::vector<ModeChange> events(count);
  for (std::size_t k = 0; k < count; ++k) {
    events[k].time = time.values[k];
    events[k].body_a = static_cast<int>(bodies.values[2 * k]);
    events[k].body_b = static_cast<int>(bodies.values[2 * k + 1]);
    events[k].from = static_cast<contact::Mode>(mode.values[2 * k]);
    events[k].to = static_cast<contact::Mode>(mode.values[2 * k + 1]);
  }
  return events;
}

void export_csv(const Recording& recording, std::ostream& out) {
  std::string line = "time";
  for (const std::string& body : recording.info().bodies)
    for (const char* column : {"x", "y", "z", "qw", "qx", "qy", "qz", "angle", "vx", "vy", "vz", "wx", "wy", "wz"})
      line += fmt::format(",{}.{}", body, column);
  std::vector<std::vector<double>> observed;
  for (const std::string& name : recording.info().observables) {
    line += "," + name;
    observed.push_back(recording.observable(name));
  }
  out << line << '\n';
  for (std::size_t frame = 0; frame < recording.frames(); ++frame) {
    const model::State state = recording.state(frame);
    line = fmt::format("{}", state.time);
    for (const model::BodyState& b : state.bodies) {
      const Vec3& x = b.pose.position;
      const Quat& q = b.pose.orientation;
      const Vec3 &v = b.velocity.linear, &w = b.velocity.angular;
      line += fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{},{},{}", x[0], x[1], x[2], q.w(), q.x(), q.y(), q.z(),
                          b.angle, v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    for (const std::vector<double>& values : observed) line += fmt::format(",{}", values.at(frame));
    out << line << '\n';
  }
}

}  // namespace stickslip::recording
