// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/recorder.h"

#include "stickslip/recording/superblock.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

namespace stickslip::recording {
namespace {

constexpr std::size_t kChunkRows = 512, kEndBytes = 256;
constexpr auto kFlushInterval = std::chrono::seconds(1);

}  // namespace

void attach_plan(const std::string& path, const std::string& plan) {
  write_text(open_file(path, true), "/plan", plan);
}

Recorder::Recorder(const std::string& path, const RecordingInfo& info) : path_(path), file_(create_file(path)) {
  const std::size_t bodies = info.bodies.size();
  write_text(file_, "/scene", info.scene);
  write_text(file_, "/version", info.version);
  write_text(file_, "/method", info.method);
  write_names(file_, "/bodies", info.bodies);
  write_names(file_, "/observables", info.observables);
  if (!info.model.empty()) write_text(file_, "/model", info.model);
  // Chunks of about 64 kB, so that scenes with many bodies do not buffer without end.
  const std::size_t rows = std::clamp<std::size_t>(8192 / std::max<std::size_t>(3 * bodies, 1), 1, kChunkRows);
  time_ = AppendArray(file_, "/time", ElementType::Double, {}, kChunkRows);
  position_ = AppendArray(file_, "/state/position", ElementType::Double, {bodies, 3}, rows);
  orientation_ = AppendArray(file_, "/state/orientation", ElementType::Double, {bodies, 4}, rows);
  angle_ = AppendArray(file_, "/state/angle", ElementType::Double, {bodies}, rows);
  velocity_ = AppendArray(file_, "/state/velocity", ElementType::Double, {bodies, 3}, rows);
  angular_velocity_ = AppendArray(file_, "/state/angular_velocity", ElementType::Double, {bodies, 3}, rows);
  for (const std::string& name : info.observables)
    observe_.emplace_back(file_, "/observe/" + name, ElementType::Double, std::vector<std::size_t>{}, kChunkRows);
  first_ = AppendArray(file_, "/contacts/first", ElementType::Int32, {}, kChunkRows);
  contact_bodies_ = AppendArray(file_, "/contacts/bodies", ElementType::Int32, {2}, kChunkRows);
  contact_features_ = AppendArray(file_, "/contacts/features", ElementType::Int32, {4}, kChunkRows);
  contact_mode_ = AppendArray(file_, "/contacts/mode", ElementType::UInt8, {}, kChunkRows);
  gap_ = AppendArray(file_, "/contacts/gap", ElementType::Double, {}, kChunkRows);
  point_ = AppendArray(file_, "/contacts/point", ElementType::Double, {3}, kChunkRows);
  normal_ = AppendArray(file_, "/contacts/normal", ElementType::Double, {3}, kChunkRows);
  force_ = AppendArray(file_, "/contacts/force", ElementType::Double, {3}, kChunkRows);
  slip_ = AppendArray(file_, "/contacts/slip", ElementType::Double, {3}, kChunkRows);
  residual_ = AppendArray(file_, "/certificate/residual", ElementType::Double, {}, kChunkRows);
  event_time_ = AppendArray(file_, "/events/time", ElementType::Double, {}, kChunkRows);
  event_bodies_ = AppendArray(file_, "/events/bodies", ElementType::Int32, {2}, kChunkRows);
  event_mode_ = AppendArray(file_, "/events/mode", ElementType::UInt8, {2}, kChunkRows);
  end_ = AppendArray(file_, "/end", ElementType::UInt8, {}, kEndBytes);
  start_single_writer();
}

Recorder::Recorder(const std::string& path, double time) : path_(path), file_(open_file(path, true)) {
  const std::vector<std::string> names = read_names(file_, "/observables");
  const std::vector<double> times = read_array(file_, "/time").values;
  const auto frames = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  const std::vector<double> firsts = read_array(file_, "/contacts/first").values;
  const std::vector<double> event_times = read_array(file_, "/events/time").values;

  time_ = AppendArray::open(file_, "/time");
  position_ = AppendArray::open(file_, "/state/position");
  orientation_ = AppendArray::open(file_, "/state/orientation");
  angle_ = AppendArray::open(file_, "/state/angle");
  velocity_ = AppendArray::open(file_, "/state/velocity");
  angular_velocity_ = AppendArray::open(file_, "/state/angular_velocity");
  for (const std::string& name : names) observe_.push_back(AppendArray::open(file_, "/observe/" + name));
  first_ = AppendArray::open(file_, "/contacts/first");
  contact_bodies_ = AppendArray::open(file_, "/contacts/bodies");
  contact_features_ = AppendArray::open(file_, "/contacts/features");
  contact_mode_ = AppendArray::open(file_, "/contacts/mode");
  gap_ = AppendArray::open(file_, "/contacts/gap");
  point_ = AppendArray::open(file_, "/contacts/point");
  normal_ = AppendArray::open(file_, "/contacts/normal");
  force_ = AppendArray::open(file_, "/contacts/force");
  slip_ = AppendArray::open(file_, "/contacts/slip");
  residual_ = AppendArray::open(file_, "/certificate/residual");
  event_time_ = AppendArray::open(file_, "/events/time");
  event_bodies_ = AppendArray::open(file_, "/events/bodies");
  event_mode_ = AppendArray::open(file_, "/events/mode");
  end_ = exists(file_, "/end") ? AppendArray::open(file_, "/end")
                               : AppendArray(file_, "/end", ElementType::UInt8, {}, kEndBytes);

  const std::size_t rows = frames < firsts.size() ? static_cast<std::size_t>(firsts[frames]) : gap_.rows();
  const auto events =
      static_cast<std::size_t>(std::upper_bound(event_times.begin(), event_times.end(), time) - event_times.begin());
  for (AppendArray* array :
       {&time_, &position_, &orientation_, &angle_, &velocity_, &angular_velocity_, &first_, &residual_})
    array->truncate(frames);
  for (AppendArray& array : observe_) array.truncate(frames);
  for (AppendArray* array :
       {&contact_bodies_, &contact_features_, &contact_mode_, &gap_, &point_, &normal_, &force_, &slip_})
    array->truncate(rows);
  for (AppendArray* array : {&event_time_, &event_bodies_, &event_mode_}) array->truncate(events);
  end_.truncate(0);  // the run goes on
  start_single_writer();
}

Recorder::~Recorder() {
  try {
    close();
  } catch (const RecordingError&) {
    // close() was the caller's chance to hear of it
  }
}

void Recorder::start_single_writer() {
  if (H5Fstart_swmr_write(file_.get()) < 0) throw RecordingError("cannot start writing the recording " + path_);
  clear_open_mark(path_);
  last_flush_ = std::chrono::steady_clock::now();
}

void Recorder::append(const Frame& frame) {
  const auto first = static_cast<std::int32_t>(gap_.rows());
  for (const contact::ContactResult& c : frame.contacts) {
    const collision::ContactId& id = c.contact.id;
    const std::int32_t bodies[] = {id.body_a, id.body_b};
    const std::int32_t features[] = {id.shape_a, id.feature_a, id.shape_b, id.feature_b};
    const auto mode = static_cast<std::uint8_t>(c.mode);
    const Vec3 point = 0.5 * (c.contact.point_a + c.contact.point_b);
    contact_bodies_.push(bodies);
    contact_features_.push(features);
    contact_mode_.push(&mode);
    gap_.push(&c.contact.gap);
    point_.push(point.data());
    normal_.push(c.contact.normal.data());
    force_.push(c.force.data());
    slip_.push(c.relative_velocity.data());
  }
  first_.push(&first);

  const std::vector<model::BodyState>& bodies = frame.state.bodies;
  const auto push = [&](AppendArray& array, std::size_t width, auto&& fill) {
    row_.resize(width * bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) fill(bodies[b], row_.data() + width * b);
    array.push(row_.data());
  };
  push(position_, 3, [](const auto& b, double* out) { Vec3::Map(out) = b.pose.position; });
  push(orientation_, 4, [](const auto& b, double* out) {
    const Quat& q = b.pose.orientation;
    out[0] = q.w(), out[1] = q.x(), out[2] = q.y(), out[3] = q.z();
  });
  push(angle_, 1, [](const auto& b, double* out) { *out = b.angle; });
  push(velocity_, 3, [](const auto& b, double* out) { Vec3::Map(out) = b.velocity.linear; });
  push(angular_velocity_, 3, [](const auto& b, double* out) { Vec3::Map(out) = b.velocity.angular; });
  for (std::size_t k = 0; k < observe_.size(); ++k) observe_[k].push(&frame.observables[k]);
  residual_.push(&frame.residual);
  time_.push(&frame.state.time);

  // The clock is looked at now and then only: it must not dominate short steps.
  if (time_.rows() % 64 == 0 && std::chrono::steady_clock::now() - last_flush_ > kFlushInterval) flush();
}

void Recorder::append(const ModeChange& change) {
  const std::int32_t bodies[] = {change.body_a, change.body_b};
  const std::uint8_t modes[] = {static_cast<std::uint8_t>(change.from), static_cast<std::uint8_t>(change.to)};
  event_time_.push(&change.time);
  event_bodies_.push(bodies);
  event_mode_.push(modes);
}

void Recorder::flush() {
  for (AppendArray* array : {&contact_bodies_, &contact_features_, &contact_mode_, &gap_, &point_, &normal_, &force_,
                             &slip_, &first_, &position_, &orientation_, &angle_, &velocity_, &angular_velocity_,
                             &residual_, &event_bodies_, &event_mode_, &event_time_})
    array->write();
  for (AppendArray& array : observe_) array.write();
  time_.write();
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0)
    throw RecordingError(fmt::format("cannot write the recording {}: is the disk full?", path_));
  clear_open_mark(path_);
  last_flush_ = std::chrono::steady_clock::now();
}

void Recorder::close(const std::string& end) {
  if (file_.get() < 0) return;
  flush();
  if (!end.empty()) {
    for (const char c : end) {
      const auto byte = static_cast<std::uint8_t>(c);
      end_.push(&byte);
    }
    end_.write();
    flush();
  }
  // Datasets must be closed before the file, or HDF5 keeps it open.
  for (AppendArray* array : {&time_,
                             &position_,
                             &orientation_,
                             &angle_,
                             &velocity_,
                             &angular_velocity_,
                             &first_,
                             &contact_bodies_,
                             &contact_features_,
                             &contact_mode_,
                             &gap_,
                             &point_,
                             &normal_,
                             &force_,
                             &slip_,
                             &residual_,
                             &event_time_,
                             &event_bodies_,
                             &event_mode_,
                             &end_})
    *array = AppendArray();
  observe_.clear();
  file_.reset();
}

}  // namespace stickslip::recording
