// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/hdf5_file.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>

namespace stickslip::recording {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// HDF5 prints its error stack on standard error by default; libraries never print.
void quiet() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hid_t native_type(ElementType type) {
  switch (type) {
    case ElementType::Double: return H5T_NATIVE_DOUBLE;
    case ElementType::Int32: return H5T_NATIVE_INT32;
    case ElementType::UInt8: return H5T_NATIVE_UINT8;
  }
  return H5T_NATIVE_DOUBLE;
}

std::size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::Double: return sizeof(double);
    case ElementType::Int32: return sizeof(std::int32_t);
    case ElementType::UInt8: return sizeof(std::uint8_t);
  }
  return 0;
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

}  // namespace

Hdf5Id create_file(const std::string& path) {
  quiet();
  const Hdf5Id access = checked(H5Pcreate(H5P_FILE_ACCESS), close_property, "out of HDF5 identifiers");
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), close_file,
                 fmt::format("cannot create the recording {}", path));
}

Hdf5Id open_file(const std::string& path, bool writable) {
  quiet();
  const Hdf5Id access = checked(H5Pcreate(H5P_FILE_ACCESS), close_property, "out of HDF5 identifiers");
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  hid_t file = -1;
  if (writable) {
    file = H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get());
  } else {
    // As a reader beside a writer: when a run was killed within a flush, its arrays may already reach beyond the end of
    // file that was noted last, which other readers take for an error. Files of other programs open the plain way.
    file = H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get());
    if (file < 0) file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  }
  return checked(file, close_file, fmt::format("cannot open {}: not a readable HDF5 file", path));
}

AppendArray::AppendArray(const Hdf5Id& file, const std::string& path, ElementType type,
                         std::vector<std::size_t> row_shape, std::size_t chunk_rows)
    : type_(type), row_shape_(std::move(row_shape)), chunk_rows_(std::max<std::size_t>(chunk_rows, 1)) {
  std::vector<hsize_t> dims{0}, limits{H5S_UNLIMITED}, chunk{chunk_rows_};
  std::size_t columns = 1;
  for (const std::size_t n : row_shape_) {
    dims.push_back(n);
    limits.push_back(n);
    chunk.push_back(std::max<std::size_t>(n, 1));
    columns *= n;
  }
  row_bytes_ = columns * element_size(type);
  buffer_.resize(row_bytes_ * chunk_rows_);
  const Hdf5Id space = checked(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), limits.data()), close_space,
                               "cannot describe dataset " + path);
  const Hdf5Id create = checked(H5Pcreate(H5P_DATASET_CREATE), close_property, "out of HDF5 identifiers");
  H5Pset_chunk(create.get(), static_cast<int>(chunk.size()), chunk.data());
  const Hdf5Id link = link_creation_with_parents();
  dataset_ = checked(
      H5Dcreate2(file.get(), path.c_str(), native_type(type), space.get(), link.get(), create.get(), H5P_DEFAULT),
      close_dataset, "cannot create dataset " + path);
}

AppendArray AppendArray::open(const Hdf5Id& file, const std::string& path) {
  AppendArray array;
  array.dataset_ = open_dataset(file, path);
  const std::vector<hsize_t> dims = extent(array.dataset_);
  const Hdf5Id type = checked(H5Dget_type(array.dataset_.get()), close_type, "unreadable dataset " + path);
  array.type_ = H5Tequal(type.get(), H5T_NATIVE_DOUBLE) > 0  ? ElementType::Double
                : H5Tequal(type.get(), H5T_NATIVE_INT32) > 0 ? ElementType::Int32
                                                             : ElementType::UInt8;
  std::size_t columns = 1;
  for (std::size_t k = 1; k < dims.size(); ++k) {
    array.row_shape_.push_back(dims[k]);
    columns *= dims[k];
  }
  array.row_bytes_ = columns * element_size(array.type_);
  const Hdf5Id create = checked(H5Dget_create_plist(array.dataset_.get()), close_property, "unreadable " + path);
  std::vector<hsize_t> chunk(dims.size(), 1);
  H5Pget_chunk(create.get(), static_cast<int>(chunk.size()), chunk.data());
  array.chunk_rows_ = chunk.empty() ? 1 : chunk[0];
  array.written_ = dims.empty() ? 0 : dims[0];
  array.buffer_.resize(array.row_bytes_ * array.chunk_rows_);
  return array;
}

void AppendArray::push(const double* row) {
  push_bytes(row);
}
void AppendArray::push(const std::int32_t* row) {
  push_bytes(row);
}
void AppendArray::push(const std::uint8_t* row) {
  push_bytes(row);
}

void AppendArray::push_bytes(const void* row) {
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
  written_ += buffered_;
  buffered_ = 0;
}

void AppendArray::truncate(std::size_t rows) {
  if (rows >= written_) return;
  std::vector<hsize_t> dims{rows};
  for (const std::size_t n : row_shape_) dims.push_back(n);
  if (H5Dset_extent(dataset_.get(), dims.data()) < 0) throw RecordingError("cannot shorten the recording");
  written_ = rows;
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

void write_doubles(const Hdf5Id& file, const std::string& path, const std::vector<double>& values) {
  const hsize_t count = values.size();
  const Hdf5Id space = checked(H5Screate_simple(1, &count, nullptr), close_space, "out of HDF5 identifiers");
  const Hdf5Id link = link_creation_with_parents();
  const Hdf5Id dataset = checked(
      H5Dcreate2(file.get(), path.c_str(), H5T_NATIVE_DOUBLE, space.get(), link.get(), H5P_DEFAULT, H5P_DEFAULT),
      close_dataset, "cannot create dataset " + path);
  if (count > 0 && H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw RecordingError("cannot write dataset " + path);
}

bool exists(const Hdf5Id& file, const std::string& path) {
  std::size_t end = 0;
  while (end != std::string::npos) {  // H5Lexists wants every parent to exist
    end = path.find('/', end + 1);
    if (H5Lexists(file.get(), path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

Array read_array(const Hdf5Id& file, const std::string& path) {
  const Hdf5Id dataset = open_dataset(file, path);
  Array array;
  std::size_t count = 1;
  for (const hsize_t n : extent(dataset)) {
    array.shape.push_back(n);
    count *= n;
  }
  array.values.resize(count);
  if (count > 0 && H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) < 0)
    throw RecordingError("cannot read dataset " + path);
  return array;
}

}  // namespace stickslip::recording
