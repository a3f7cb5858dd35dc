// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A thin RAII layer over HDF5's C interface: just what the recorder and the reader need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip::recording {

// Thrown with one clear line that names the file.
class RecordingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Owner of one HDF5 identifier.
class Hdf5Id {
 public:
  using Closer = int (*)(std::int64_t);
  Hdf5Id() = default;
  Hdf5Id(std::int64_t id, Closer closer) : id_(id), closer_(closer) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(other.id_), closer_(other.closer_) { other.id_ = -1; }
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = other.id_;
      closer_ = other.closer_;
      other.id_ = -1;
    }
    return *this;
  }
  ~Hdf5Id() { reset(); }
  void reset() {
    if (id_ >= 0) closer_(id_);
    id_ = -1;
  }
  [[nodiscard]] std::int64_t get() const { return id_; }

 private:
  std::int64_t id_ = -1;
  Closer closer_ = nullptr;
};

enum class ElementType : std::uint8_t { Double, Int32, UInt8 };

// A growing array: rows of `columns` numbers, appended in blocks of `chunk_rows`.
class AppendArray {
 public:
  AppendArray() = default;
  // Creates the dataset (parents as needed) in an open file. `row_shape` is the shape of one row; empty for a scalar.
  AppendArray(const Hdf5Id& file, const std::string& path, ElementType type, std::vector<std::size_t> row_shape,
              std::size_t chunk_rows);

  void push(const double* row);
  void push(const std::int32_t* row);
  void push(const std::uint8_t* row);

  // Writes what is buffered. Called by push when a chunk is full.
  void write();
  [[nodiscard]] std::size_t rows() const { return written_ + buffered_; }
  // Forgets all rows from `rows` on (for resuming); nothing may be buffered.
  void truncate(std::size_t rows);

  static AppendArray open(const Hdf5Id& file, const std::string& path);

 private:
  void push_bytes(const void* row);
  Hdf5Id dataset_;
  ElementType type_ = ElementType::Double;
  std::vector<std::size_t> row_shape_;
  std::size_t row_bytes_ = 0, chunk_rows_ = 1, written_ = 0, buffered_ = 0;
  std::vector<std::byte> buffer_;
};

[[nodiscard]] Hdf5Id create_file(const std::string& path);
[[nodiscard]] Hdf5Id open_file(const std::string& path, bool writable);
void write_text(const Hdf5Id& file, const std::string& path, const std::string& text);
[[nodiscard]] std::string read_text(const Hdf5Id& file, const std::string& path);
void write_names(const Hdf5Id& file, const std::string& path, const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> read_names(const Hdf5Id& file, const std::string& path);
void write_doubles(const Hdf5Id& file, const std::string& path, const std::vector<double>& values);
[[nodiscard]] bool exists(const Hdf5Id& file, const std::string& path);

// A whole array with its shape.
struct Array {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};
[[nodiscard]] Array read_array(const Hdf5Id& file, const std::string& path);

}  // namespace stickslip::recording
