// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace stickslip::recording {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// Before the first call of HDF5. It prints its error stack on standard error by default; libraries never print. And at the
// end of the process it closes what is open: a file whose H5Fclose failed (a full disk) is freed, but its identifier stays in
// HDF5's table, so that this closes freed memory. Identifiers are owned here (Hdf5Id), nothing is left for it to close.
// Without effect where another user of HDF5 in the process (h5py) was first.
void prepare() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hid_t native_type(ElementType type) {
  switch (type) {
    case ElementType::Double: return H5T_NATIVE_DOUBLE;
    case ElementType::Int64: return H5T_NATIVE_INT64;
    case ElementType::Int32: return H5T_NATIVE_INT32;
    case ElementType::UInt8: return H5T_NATIVE_UINT8;
  }
  return H5T_NATIVE_DOUBLE;
}

Hdf5Id checked(hid_t id, Hdf5Id::Closer closer, const std::string& what) {
  if (id < 0) throw RecordingError(what);
  return {id, closer};
}

int close_dataset(std::int64_t id) {
  return H5Dclose(id);
}
int close_space(std::int64_t id) {
  return H5Sclose(id);
}
int close_property(std::int64_t id) {
  return H5Pclose(id);
}
int close_type(std::int64_t id) {
  return H5Tclose(id);
}
int close_file(std::int64_t id) {
  return H5Fclose(id);
}

Hdf5Id link_creation_with_parents() {
  Hdf5Id list = checked(H5Pcreate(H5P_LINK_CREATE), close_property, "out of HDF5 identifiers");
  H5Pset_create_intermediate_group(list.get(), 1);
  return list;
}

Hdf5Id string_type(std::size_t length) {
  Hdf5Id type = checked(H5Tcopy(H5T_C_S1), close_type, "out of HDF5 identifiers");
  H5Tset_size(type.get(), std::max<std::size_t>(length, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

Hdf5Id open_dataset(const Hdf5Id& file, const std::string& path) {
  return checked(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), close_dataset,
                 fmt::format("the recording has no dataset {}", path));
}

std::vector<hsize_t> extent(const Hdf5Id& dataset) {
  const Hdf5Id space = checked(H5Dget_space(dataset.get()), close_space, "unreadable dataset");
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
  if (!dims.empty()) H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr);
  return dims;
}

// What a damaged shape can ask for is bounded.
constexpr std::size_t kMostRowBytes = std::size_t{1} << 32;
constexpr std::size_t kCachedBytes = std::size_t{4} << 20;  // of one array

// Metadata whose checksum does not fit are read again, because a writer may be at work, after pauses of 1, 2, 4 ...
// nanoseconds. By default that is done 100 times, which never ends; 17 pauses are 0.13 ms together, many times what
// a write of metadata takes.
constexpr unsigned kReadAttempts = 18;

std::size_t row_size(ElementType type, const std::vector<std::size_t>& row_shape) {
  std::size_t bytes = element_size(type);
  for (const std::size_t n : row_shape) bytes *= n;
  return bytes;
}

}  // namespace

std::size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::Double: return sizeof(double);
    case ElementType::Int64: return sizeof(std::int64_t);
    case ElementType::Int32: return sizeof(std::int32_t);
    case ElementType::UInt8: return sizeof(std::uint8_t);
  }
  return 0;
}

Hdf5Id create_file(const std::string& path, std::size_t user_block) {
  prepare();
  const Hdf5Id access = checked(H5Pcreate(H5P_FILE_ACCESS), close_property, "out of HDF5 identifiers");
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const Hdf5Id create = checked(H5Pcreate(H5P_FILE_CREATE), close_property, "out of HDF5 identifiers");
  H5Pset_userblock(create.get(), user_block);
  return checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, create.get(), access.get()), close_file,
                 fmt::format("cannot create the recording {}", path));
}

Hdf5Id open_file(const std::string& path, OpenMode mode) {
  prepare();
  const Hdf5Id access = checked(H5Pcreate(H5P_FILE_ACCESS), close_property, "out of HDF5 identifiers");
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_metadata_read_attempts(access.get(), kReadAttempts);
  const unsigned flags = mode == OpenMode::Write  ? H5F_ACC_RDWR
                         : mode == OpenMode::Read ? H5F_ACC_RDONLY
                                                  : H5F_ACC_RDONLY | H5F_ACC_SWMR_READ;
  return checked(H5Fopen(path.c_str(), flags, access.get()), close_file,
                 fmt::format("cannot open {}: HDF5 cannot read it", path));
}

AppendArray::AppendArray(const Hdf5Id& file, const std::string& path, ElementType type,
                         std::vector<std::size_t> row_shape, std::size_t chunk_rows)
    : type_(type), row_shape_(std::move(row_shape)), chunk_rows_(std::max<std::size_t>(chunk_rows, 1)) {
  std::vector<hsize_t> dims{0}, limits{H5S_UNLIMITED}, chunk{chunk_rows_};
  for (const std::size_t n : row_shape_) {
    dims.push_back(n);
    limits.push_back(n);
    chunk.push_back(std::max<std::size_t>(n, 1));
  }
  measure_rows();
  const Hdf5Id space = checked(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), limits.data()), close_space,
                               "cannot describe dataset " + path);
  const Hdf5Id create = checked(H5Pcreate(H5P_DATASET_CREATE), close_property, "out of HDF5 identifiers");
  H5Pset_chunk(create.get(), static_cast<int>(chunk.size()), chunk.data());
  const Hdf5Id link = link_creation_with_parents();
  dataset_ = checked(
      H5Dcreate2(file.get(), path.c_str(), native_type(type), space.get(), link.get(), create.get(), H5P_DEFAULT),
      close_dataset, "cannot create dataset " + path);
}

AppendArray::AppendArray(const Hdf5Id& file, const std::string& path, ElementType type,
                         std::vector<std::size_t> row_shape, std::size_t chunk_rows, std::size_t rows,
                         const files::Checksum& sum)
    : dataset_(open_dataset(file, path)),
      type_(type),
      row_shape_(std::move(row_shape)),
      chunk_rows_(std::max<std::size_t>(chunk_rows, 1)),
      written_(rows),
      sum_(sum) {
  measure_rows();
  std::vector<hsize_t> dims{rows};
  dims.insert(dims.end(), row_shape_.begin(), row_shape_.end());
  if (H5Dset_extent(dataset_.get(), dims.data()) < 0) throw RecordingError("cannot shorten the recording");
}

void AppendArray::measure_rows() {
  row_bytes_ = row_size(type_, row_shape_);
  buffer_.resize(row_bytes_ * chunk_rows_);
}

void AppendArray::push_bytes(const void* row, ElementType type) {
  assert(type == type_);
  static_cast<void>(type);
  if (row_bytes_ > 0) std::memcpy(buffer_.data() + buffered_ * row_bytes_, row, row_bytes_);
  if (++buffered_ == chunk_rows_) write();
}

void AppendArray::write() {
  if (buffered_ == 0) return;
  std::vector<hsize_t> dims{written_ + buffered_}, start{written_}, count{buffered_};
  for (const std::size_t n : row_shape_) {
    dims.push_back(n);
    start.push_back(0);
    count.push_back(n);
  }
  bool good = H5Dset_extent(dataset_.get(), dims.data()) >= 0;
  if (good && row_bytes_ > 0) {
    const Hdf5Id file_space = checked(H5Dget_space(dataset_.get()), close_space, "unreadable dataset");
    const Hdf5Id memory = checked(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), close_space,
                                  "out of HDF5 identifiers");
    H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    good =
        H5Dwrite(dataset_.get(), native_type(type_), memory.get(), file_space.get(), H5P_DEFAULT, buffer_.data()) >= 0;
  }
  if (!good) throw RecordingError("cannot write to the recording: is the disk full?");
  sum_.add(buffer_.data(), buffered_ * row_bytes_);
  written_ += buffered_;
  buffered_ = 0;
}

ArrayReader::ArrayReader(const Hdf5Id& file, const std::string& path, ElementType type,
                         const std::vector<std::size_t>& row_shape)
    : path_(path), dataset_(open_dataset(file, path)), type_(type), row_shape_(row_shape) {
  row_bytes_ = row_size(type, row_shape);
  const std::vector<hsize_t> dims = extent(dataset_);
  const Hdf5Id stored = checked(H5Dget_type(dataset_.get()), close_type, "unreadable dataset " + path);
  const bool fits =
      dims.size() == row_shape.size() + 1 && std::equal(row_shape.begin(), row_shape.end(), dims.begin() + 1);
  if (!fits || H5Tequal(stored.get(), native_type(type)) <= 0 || row_bytes_ > kMostRowBytes)
    throw RecordingError("dataset " + path + " has another type or shape than expected");
  rows_ = dims[0];
  const Hdf5Id create = checked(H5Dget_create_plist(dataset_.get()), close_property, "unreadable dataset " + path);
  std::vector<hsize_t> chunk(dims.size(), 1);
  if (H5Pget_layout(create.get()) == H5D_CHUNKED)
    H5Pget_chunk(create.get(), static_cast<int>(chunk.size()), chunk.data());
  // Several chunks where they are small: a read has a price of its own.
  const std::size_t wanted = (std::size_t{1} << 16) / std::max<std::size_t>(row_bytes_, 1);
  const std::size_t chunk_rows = std::clamp<std::size_t>(chunk[0], 1, std::size_t{1} << 16);
  block_rows_ = chunk_rows * std::max<std::size_t>(1, wanted / chunk_rows);
}

void ArrayReader::read(std::size_t begin, std::size_t count, std::byte* out) const {
  std::vector<hsize_t> start{begin}, size{count};
  for (const std::size_t n : row_shape_) {
    start.push_back(0);
    size.push_back(n);
  }
  const Hdf5Id file_space = checked(H5Dget_space(dataset_.get()), close_space, "unreadable dataset " + path_);
  const Hdf5Id memory = checked(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), close_space,
                                "out of HDF5 identifiers");
  if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) < 0 ||
      H5Dread(dataset_.get(), native_type(type_), memory.get(), file_space.get(), H5P_DEFAULT, out) < 0)
    throw RecordingError("cannot read dataset " + path_);
}

const std::byte* ArrayReader::row(std::size_t row) const {
  const std::size_t number = row / block_rows_, begin = number * block_rows_;
  auto found = blocks_.find(number);
  if (found == blocks_.end()) {
    const std::size_t count = std::min(block_rows_, rows_ - begin), block_bytes = block_rows_ * row_bytes_;
    while (!order_.empty() && (order_.size() + 1) * block_bytes > kCachedBytes) {
      blocks_.erase(order_.front());
      order_.pop_front();
    }
    std::vector<std::byte> block(count * row_bytes_);
    read(begin, count, block.data());
    found = blocks_.emplace(number, std::move(block)).first;
    order_.push_back(number);
  }
  return found->second.data() + (row - begin) * row_bytes_;
}

double ArrayReader::number(std::size_t row, std::size_t column) const {
  return doubles(row)[column];
}

const double* ArrayReader::doubles(std::size_t row) const {
  assert(type_ == ElementType::Double);
  if (row >= rows_) throw RecordingError("dataset " + path_ + " is too short");
  // The blocks are vectors: aligned for every number.
  return row_bytes_ == 0 ? nullptr : reinterpret_cast<const double*>(this->row(row));
}

std::int64_t ArrayReader::integer(std::size_t row, std::size_t column) const {
  if (row >= rows_) throw RecordingError("dataset " + path_ + " is too short");
  const std::byte* at = this->row(row) + column * element_size(type_);
  std::int64_t wide = 0;
  std::int32_t narrow = 0;
  switch (type_) {
    case ElementType::Int64: std::memcpy(&wide, at, sizeof wide); return wide;
    case ElementType::Int32: std::memcpy(&narrow, at, sizeof narrow); return narrow;
    default: return std::to_integer<std::int64_t>(*at);
  }
}

files::Checksum ArrayReader::checksum(std::size_t rows) const {
  files::Checksum sum;
  if (rows > rows_) throw RecordingError("dataset " + path_ + " is too short");
  if (row_bytes_ == 0) return sum;
  std::vector<std::byte> block(std::min(block_rows_, rows) * row_bytes_);
  for (std::size_t begin = 0; begin < rows; begin += block_rows_) {
    const std::size_t count = std::min(block_rows_, rows - begin);
    read(begin, count, block.data());
    sum.add(block.data(), count * row_bytes_);
  }
  return sum;
}

void write_text(const Hdf5Id& file, const std::string& path, const std::string& text) {
  const Hdf5Id type = string_type(text.size());
  const Hdf5Id space = checked(H5Screate(H5S_SCALAR), close_space, "out of HDF5 identifiers");
  const Hdf5Id link = link_creation_with_parents();
  const Hdf5Id dataset =
      checked(H5Dcreate2(file.get(), path.c_str(), type.get(), space.get(), link.get(), H5P_DEFAULT, H5P_DEFAULT),
              close_dataset, "cannot create dataset " + path);
  const std::string padded = text.empty() ? std::string(1, '\0') : text;
  if (H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) < 0)
    throw RecordingError("cannot write dataset " + path);
}

std::string read_text(const Hdf5Id& file, const std::string& path) {
  const std::vector<std::string> names = read_names(file, path);
  return names.empty() ? std::string() : names.front();
}

void write_names(const Hdf5Id& file, const std::string& path, const std::vector<std::string>& names) {
  std::size_t length = 1;
  for (const std::string& name : names) length = std::max(length, name.size());
  std::string packed(length * names.size(), '\0');
  for (std::size_t k = 0; k < names.size(); ++k) names[k].copy(packed.data() + k * length, names[k].size());
  const Hdf5Id type = string_type(length);
  const hsize_t count = names.size();
  const Hdf5Id space = checked(H5Screate_simple(1, &count, nullptr), close_space, "out of HDF5 identifiers");
  const Hdf5Id link = link_creation_with_parents();
  const Hdf5Id dataset =
      checked(H5Dcreate2(file.get(), path.c_str(), type.get(), space.get(), link.get(), H5P_DEFAULT, H5P_DEFAULT),
              close_dataset, "cannot create dataset " + path);
  if (count > 0 && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()) < 0)
    throw RecordingError("cannot write dataset " + path);
}

std::vector<std::string> read_names(const Hdf5Id& file, const std::string& path) {
  const Hdf5Id dataset = open_dataset(file, path);
  const Hdf5Id type = checked(H5Dget_type(dataset.get()), close_type, "unreadable dataset " + path);
  const Hdf5Id space = checked(H5Dget_space(dataset.get()), close_space, "unreadable dataset " + path);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0)
    throw RecordingError("dataset " + path + " is not a fixed-length text");
  const std::size_t length = H5Tget_size(type.get());
  const auto count = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get())));
  hsize_t file_bytes = 0;
  if (H5Fget_filesize(file.get(), &file_bytes) < 0 || length == 0 || count > file_bytes / length)
    throw RecordingError("dataset " + path + " is longer than its file");
  std::string packed(length * count, '\0');
  if (count > 0 && H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()) < 0)
    throw RecordingError("cannot read dataset " + path);
  std::vector<std::string> names(count);
  for (std::size_t k = 0; k < count; ++k) {
    const char* text = packed.data() + k * length;
    names[k].assign(text, strnlen(text, length));
  }
  return names;
}

bool exists(const Hdf5Id& file, const std::string& path) {
  std::size_t end = 0;
  while (end != std::string::npos) {  // H5Lexists wants every parent to exist
    end = path.find('/', end + 1);
    if (H5Lexists(file.get(), path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

}  // namespace stickslip::recording
