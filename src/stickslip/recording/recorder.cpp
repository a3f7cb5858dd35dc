// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/recorder.h"

#include "stickslip/recording/recording.h"
#include "stickslip/recording/superblock.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <bit>

namespace stickslip::recording {
namespace {

constexpr auto kFlushInterval = std::chrono::seconds(1);

files::FileLock lock_for_writing(const std::string& path) {
  try {
    return files::FileLock(path);
  } catch (const std::runtime_error& error) {
    throw RecordingError(error.what());
  }
}

}  // namespace

std::uint64_t content_checksum(const RecordingInfo& info, std::span<const files::Checksum> arrays) {
  files::Checksum sum;
  for (const std::string* text : {&info.scene, &info.version, &info.method, &info.model}) sum.add_text(*text);
  for (const std::vector<std::string>* names : {&info.bodies, &info.observables})
    for (const std::string& name : *names) sum.add_text(name);
  for (const files::Checksum& array : arrays) sum.add_number(array.value());
  return sum.value();
}

void attach_plan(const std::string& path, const std::string& plan) {
  const files::FileLock lock = lock_for_writing(path);
  Seal seal = read_seal(path);
  seal.closed = false;
  write_seal(path, seal);
  write_text(open_file(path, OpenMode::Write), "/plan", plan);
  close_seal(path, seal);
}

Recorder::Recorder(const std::string& path, const RecordingInfo& info)
    : path_(path), info_(info), lock_(lock_for_writing(path)), file_(create_file(path, kSealBytes)) {
  write_seal(path, {});  // from its first bytes on the file says what it is
  write_text(file_, "/scene", info.scene);
  write_text(file_, "/version", info.version);
  write_text(file_, "/method", info.method);
  write_names(file_, "/bodies", info.bodies);
  write_names(file_, "/observables", info.observables);
  write_text(file_, "/model", info.model);
  for (const ArrayLayout& array : layout(info.bodies.size(), info.observables))
    arrays_.emplace_back(file_, array.path, array.type, array.row_shape, array.chunk_rows);
  start_single_writer();
}

Recorder::Recorder(const std::string& path, const RecordingInfo& info, double time)
    : path_(path), info_(info), lock_(lock_for_writing(path)) {
  const std::vector<ArrayLayout> layouts = layout(info.bodies.size(), info.observables);
  RowCounts counts;
  std::vector<files::Checksum> sums;
  {
    const Recording before(path);
    if (before.info().scene != info.scene || before.info().method != info.method || before.info().model != info.model ||
        before.info().bodies != info.bodies)
      throw RecordingError(fmt::format("the recording {} belongs to another scene, method or parameters", path));
    info_.version = before.info().version;
    counts = before.counts_until(time);
    sums = before.checksums(counts);
  }
  // First the seal: killed now, the rows that it counts are there whatever was dropped behind them.
  write_seal(path, {.closed = false, .counts = counts, .content = content_checksum(info_, sums)});
  file_ = open_file(path, OpenMode::Write);
  for (std::size_t k = 0; k < layouts.size(); ++k)
    arrays_.emplace_back(file_, layouts[k].path, layouts[k].type, layouts[k].row_shape, layouts[k].chunk_rows,
                         counts.of(layouts[k].group), sums[k]);
  start_single_writer();
}

Recorder::~Recorder() {
  try {
    close();
  } catch (const RecordingError&) {
    // close() was the caller's chance to hear of it. What HDF5 noted must not keep readers from what is there.
    arrays_.clear();
    file_.reset();
    try {
      shorten_to_file(path_, kSealBytes);
    } catch (const RecordingError&) {
      // nothing can be written at all
    }
  }
}

void Recorder::start_single_writer() {
  if (H5Fstart_swmr_write(file_.get()) < 0)
    throw RecordingError(fmt::format("cannot start writing the recording {}: is the disk full?", path_));
  clear_open_mark(path_, kSealBytes);
  write_seal(path_, seal());
  last_flush_ = std::chrono::steady_clock::now();
}

Seal Recorder::seal() const {
  const auto rows = [&](ArrayName name) { return arrays_[static_cast<std::size_t>(name)].rows(); };
  std::vector<files::Checksum> sums;
  for (const AppendArray& array : arrays_) sums.push_back(array.checksum());
  return {.closed = false,
          .counts = {rows(ArrayName::Time), rows(ArrayName::Gap), rows(ArrayName::EventTime), rows(ArrayName::End)},
          .content = content_checksum(info_, sums)};
}

void Recorder::append(const Frame& frame) {
  const auto first = static_cast<std::int64_t>(array(ArrayName::Gap).rows());
  for (const contact::ContactResult& c : frame.contacts) {
    const collision::ContactId& id = c.contact.id;
    const std::int32_t bodies[] = {id.body_a, id.body_b};
    const std::int32_t features[] = {id.shape_a, id.feature_a, id.shape_b, id.feature_b};
    const auto mode = static_cast<std::uint8_t>(c.mode);
    const Vec3 point = 0.5 * (c.contact.point_a + c.contact.point_b);
    array(ArrayName::ContactBodies).push(bodies);
    array(ArrayName::ContactFeatures).push(features);
    array(ArrayName::ContactMode).push(&mode);
    array(ArrayName::Gap).push(&c.contact.gap);
    array(ArrayName::Point).push(point.data());
    array(ArrayName::Normal).push(c.contact.normal.data());
    array(ArrayName::Force).push(c.force.data());
    array(ArrayName::Slip).push(c.relative_velocity.data());
  }
  array(ArrayName::First).push(&first);

  const std::vector<model::BodyState>& bodies = frame.state.bodies;
  const auto push = [&](ArrayName name, std::size_t width, auto&& fill) {
    row_.resize(width * bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) fill(bodies[b], row_.data() + width * b);
    array(name).push(row_.data());
  };
  push(ArrayName::Position, 3, [](const auto& b, double* out) { Vec3::Map(out) = b.pose.position; });
  push(ArrayName::Orientation, 4, [](const auto& b, double* out) {
    const Quat& q = b.pose.orientation;
    out[0] = q.w(), out[1] = q.x(), out[2] = q.y(), out[3] = q.z();
  });
  push(ArrayName::Angle, 1, [](const auto& b, double* out) { *out = b.angle; });
  push(ArrayName::Velocity, 3, [](const auto& b, double* out) { Vec3::Map(out) = b.velocity.linear; });
  push(ArrayName::AngularVelocity, 3, [](const auto& b, double* out) { Vec3::Map(out) = b.velocity.angular; });
  for (std::size_t k = 0; k < info_.observables.size(); ++k)
    arrays_[static_cast<std::size_t>(ArrayName::FirstObservable) + k].push(&frame.observables[k]);
  array(ArrayName::Residual).push(&frame.residual);
  array(ArrayName::Time).push(&frame.state.time);

  // About once a second; and after 64, 128, 256, 512 ... frames, so that a short run on a disk that fills up keeps half of
  // what fits. The clock is looked at now and then only: it must not dominate short steps.
  const std::size_t frames = array(ArrayName::Time).rows();
  if (frames % 64 == 0 &&
      (std::has_single_bit(frames) || std::chrono::steady_clock::now() - last_flush_ > kFlushInterval))
    flush();
}

void Recorder::append(const ModeChange& change) {
  const std::int32_t bodies[] = {change.body_a, change.body_b};
  const std::uint8_t modes[] = {static_cast<std::uint8_t>(change.from), static_cast<std::uint8_t>(change.to)};
  array(ArrayName::EventTime).push(&change.time);
  array(ArrayName::EventBodies).push(bodies);
  array(ArrayName::EventMode).push(modes);
}

void Recorder::flush() {
  for (AppendArray& array : arrays_) array.write();
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0)
    throw RecordingError(fmt::format("cannot write the recording {}: is the disk full?", path_));
  clear_open_mark(path_, kSealBytes);
  write_seal(path_, seal());
  last_flush_ = std::chrono::steady_clock::now();
}

void Recorder::close(const std::string& end) {
  if (file_.get() < 0) return;
  for (const char c : end) {
    const auto byte = static_cast<std::uint8_t>(c);
    array(ArrayName::End).push(&byte);
  }
  flush();
  const Seal last = seal();
  arrays_.clear();  // datasets must be closed before the file, or HDF5 keeps it open
  if (!file_.reset()) throw RecordingError(fmt::format("cannot write the recording {}: is the disk full?", path_));
  close_seal(path_, last);
}

}  // namespace stickslip::recording
