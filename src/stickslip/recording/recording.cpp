// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/recording.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::recording {
namespace {

constexpr int kModes = 4;

}  // namespace

Recording::Recording(const std::string& path) : seal_(read_seal(path)) {
  try {
    // A closed file was compared as a whole; only of an open one the content has to be.
    file_ = open_file(path, seal_.closed ? OpenMode::Read : OpenMode::BesideWriter);
    read_texts();
    for (const ArrayLayout& array : layout(info_.bodies.size(), info_.observables))
      arrays_.emplace_back(file_, array.path, array.type, array.row_shape);
    if (!seal_.closed) verify();
    time_ = column(array(ArrayName::Time));
    for (std::size_t frame = 0; frame < seal_.counts.frames; ++frame)
      first_.push_back(array(ArrayName::First).integer(frame));
    for (std::size_t k = 0; k < seal_.counts.end_bytes; ++k)
      end_ += static_cast<char>(array(ArrayName::End).integer(k));
    if (const std::size_t line = end_.find('\n'); line != std::string::npos) {
      audit_ = end_.substr(line + 1);
      end_.resize(line);
    }
  } catch (const RecordingError& error) {
    throw RecordingError(fmt::format("the recording {} is damaged: {}", path, error.what()));
  }
}

void Recording::read_texts() {
  info_.scene = read_text(file_, "/scene");
  info_.version = read_text(file_, "/version");
  info_.method = read_text(file_, "/method");
  info_.bodies = read_names(file_, "/bodies");
  info_.observables = read_names(file_, "/observables");
  info_.model = read_text(file_, "/model");
  if (exists(file_, "/plan")) info_.plan = read_text(file_, "/plan");
}

void Recording::verify() const {
  if (content_checksum(info_, checksums(seal_.counts)) != seal_.content)
    throw RecordingError("its checksum does not match");
}

std::vector<files::Checksum> Recording::checksums(const RowCounts& counts) const {
  const std::vector<ArrayLayout> layouts = layout(info_.bodies.size(), info_.observables);
  std::vector<files::Checksum> sums;
  for (std::size_t k = 0; k < layouts.size(); ++k) sums.push_back(arrays_[k].checksum(counts.of(layouts[k].group)));
  return sums;
}

RowCounts Recording::counts_until(double time) const {
  RowCounts counts;
  counts.frames = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), time) - time_.begin());
  counts.contacts =
      counts.frames < first_.size() ? static_cast<std::size_t>(first_[counts.frames]) : seal_.counts.contacts;
  while (counts.events < seal_.counts.events && array(ArrayName::EventTime).number(counts.events) <= time)
    ++counts.events;
  return counts;
}

model::State Recording::state(std::size_t frame) const {
  model::State state;
  state.time = time_.at(frame);
  state.bodies.resize(info_.bodies.size());
  const double* position = array(ArrayName::Position).doubles(frame);
  const double* orientation = array(ArrayName::Orientation).doubles(frame);
  const double* angle = array(ArrayName::Angle).doubles(frame);
  const double* velocity = array(ArrayName::Velocity).doubles(frame);
  const double* angular_velocity = array(ArrayName::AngularVelocity).doubles(frame);
  for (std::size_t b = 0; b < state.bodies.size(); ++b) {
    const double* q = orientation + 4 * b;
    state.bodies[b].pose.position = Vec3::Map(position + 3 * b);
    state.bodies[b].pose.orientation = Quat(q[0], q[1], q[2], q[3]);
    state.bodies[b].angle = angle[b];
    state.bodies[b].velocity.linear = Vec3::Map(velocity + 3 * b);
    state.bodies[b].velocity.angular = Vec3::Map(angular_velocity + 3 * b);
  }
  return state;
}

std::vector<contact::ContactResult> Recording::contacts(std::size_t frame) const {
  const std::int64_t begin = first_.at(frame);
  const auto count = static_cast<std::int64_t>(seal_.counts.contacts);
  const std::int64_t end = frame + 1 < first_.size() ? first_[frame + 1] : count;
  if (begin < 0 || end < begin || end > count) throw RecordingError("the contacts of a frame do not exist");
  const auto bodies = static_cast<std::int64_t>(info_.bodies.size());
  std::vector<contact::ContactResult> results;
  for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
    contact::ContactResult c;
    const auto integer = [&](ArrayName name, std::size_t k) {
      return static_cast<std::int32_t>(array(name).integer(row, k));
    };
    const auto vector = [&](ArrayName name) { return Vec3(Vec3::Map(array(name).doubles(row))); };
    c.contact.id.body_a = integer(ArrayName::ContactBodies, 0);
    c.contact.id.body_b = integer(ArrayName::ContactBodies, 1);
    c.contact.id.shape_a = integer(ArrayName::ContactFeatures, 0);
    c.contact.id.feature_a = integer(ArrayName::ContactFeatures, 1);
    c.contact.id.shape_b = integer(ArrayName::ContactFeatures, 2);
    c.contact.id.feature_b = integer(ArrayName::ContactFeatures, 3);
    const std::int64_t mode = array(ArrayName::ContactMode).integer(row);
    if (c.contact.id.body_a < 0 || c.contact.id.body_a >= bodies || c.contact.id.body_b < 0 ||
        c.contact.id.body_b >= bodies || mode >= kModes)
      throw RecordingError("a contact names a body or a mode that does not exist");
    c.contact.gap = array(ArrayName::Gap).number(row);
    c.contact.normal = vector(ArrayName::Normal);
    const Vec3 point = vector(ArrayName::Point);
    c.contact.point_a = point + 0.5 * c.contact.gap * c.contact.normal;
    c.contact.point_b = point - 0.5 * c.contact.gap * c.contact.normal;
    c.mode = static_cast<contact::Mode>(mode);
    c.force = vector(ArrayName::Force);
    c.relative_velocity = vector(ArrayName::Slip);
    results.push_back(c);
  }
  return results;
}

std::vector<double> Recording::column(const ArrayReader& array) const {
  std::vector<double> values(seal_.counts.frames);
  for (std::size_t frame = 0; frame < values.size(); ++frame) values[frame] = array.number(frame);
  return values;
}

double Recording::observable(std::size_t number, std::size_t frame) const {
  return arrays_.at(static_cast<std::size_t>(ArrayName::FirstObservable) + number).number(frame);
}

std::vector<double> Recording::observable(const std::string& name) const {
  const auto found = std::find(info_.observables.begin(), info_.observables.end(), name);
  if (found == info_.observables.end())
    throw RecordingError(fmt::format("the recording has no observable \"{}\"", name));
  const auto number = static_cast<std::size_t>(found - info_.observables.begin());
  return column(arrays_[static_cast<std::size_t>(ArrayName::FirstObservable) + number]);
}

std::vector<double> Recording::residual() const {
  return column(array(ArrayName::Residual));
}

std::vector<ModeChange> Recording::events() const {
  std::vector<ModeChange> events(seal_.counts.events);
  const auto bodies = static_cast<std::int64_t>(info_.bodies.size());
  const auto body = [&](std::size_t row, std::size_t side) {
    const std::int64_t number = array(ArrayName::EventBodies).integer(row, side);
    if (number < 0 || number >= bodies) throw RecordingError("an event names a body that does not exist");
    return static_cast<int>(number);
  };
  const auto mode = [&](std::size_t row, std::size_t side) {
    const std::int64_t number = array(ArrayName::EventMode).integer(row, side);
    if (number >= kModes) throw RecordingError("an event names a mode that does not exist");
    return static_cast<contact::Mode>(number);
  };
  for (std::size_t k = 0; k < events.size(); ++k)
    events[k] = {array(ArrayName::EventTime).number(k), body(k, 0), body(k, 1), mode(k, 0), mode(k, 1)};
  return events;
}

void export_csv(const Recording& recording, std::ostream& out) {
  std::string line = "time";
  for (const std::string& body : recording.info().bodies)
    for (const char* column : {"x", "y", "z", "qw", "qx", "qy", "qz", "angle", "vx", "vy", "vz", "wx", "wy", "wz"})
      line += fmt::format(",{}.{}", body, column);
  const std::size_t observables = recording.info().observables.size();
  for (const std::string& name : recording.info().observables) line += "," + name;
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
    for (std::size_t k = 0; k < observables; ++k) line += fmt::format(",{}", recording.observable(k, frame));
    out << line << '\n';
  }
}

}  // namespace stickslip::recording
