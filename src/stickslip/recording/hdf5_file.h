// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A thin RAII layer over HDF5's C interface: just what the recorder and the reader need.
#pragma once

#include "stickslip/files/checksum.h"
#include "stickslip/recording/recording_error.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace stickslip::recording {

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
  // False when HDF5 could not close it: something that was to be written is not.
  bool reset() {
    const bool good = id_ < 0 || closer_(id_) >= 0;
    id_ = -1;
    return good;
  }
  [[nodiscard]] std::int64_t get() const { return id_; }

 private:
  std::int64_t id_ = -1;
  Closer closer_ = nullptr;
};

enum class ElementType : std::uint8_t { Double, Int64, Int32, UInt8 };
[[nodiscard]] std::size_t element_size(ElementType type);

// A growing array: rows of numbers, appended in blocks of `chunk_rows`.
class AppendArray {
 public:
  AppendArray() = default;
  // Creates the dataset (parents as needed) in an open file. `row_shape` is the shape of one row; empty for a scalar.
  AppendArray(const Hdf5Id& file, const std::string& path, ElementType type, std::vector<std::size_t> row_shape,
              std::size_t chunk_rows);
  // Goes on behind the first `rows` rows of an existing dataset, whose checksum is `sum`; later rows are dropped.
  AppendArray(const Hdf5Id& file, const std::string& path, ElementType type, std::vector<std::size_t> row_shape,
              std::size_t chunk_rows, std::size_t rows, const files::Checksum& sum);

  void push(const double* row) { push_bytes(row, ElementType::Double); }
  void push(const std::int64_t* row) { push_bytes(row, ElementType::Int64); }
  void push(const std::int32_t* row) { push_bytes(row, ElementType::Int32); }
  void push(const std::uint8_t* row) { push_bytes(row, ElementType::UInt8); }

  // Writes what is buffered. Called by push when a chunk is full.
  void write();
  [[nodiscard]] std::size_t rows() const { return written_ + buffered_; }
  [[nodiscard]] const files::Checksum& checksum() const { return sum_; }  // of the rows that were written

 private:
  void push_bytes(const void* row, ElementType type);
  void measure_rows();
  Hdf5Id dataset_;
  ElementType type_ = ElementType::Double;
  std::vector<std::size_t> row_shape_;
  std::size_t row_bytes_ = 0, chunk_rows_ = 1, written_ = 0, buffered_ = 0;
  std::vector<std::byte> buffer_;
  files::Checksum sum_;
};

// Rows of an array, read in blocks as they are asked for. Of a large array only the blocks read last are kept.
class ArrayReader {
 public:
  ArrayReader() = default;
  // Throws RecordingError when the dataset is missing or has another type or shape.
  ArrayReader(const Hdf5Id& file, const std::string& path, ElementType type, const std::vector<std::size_t>& row_shape);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  // Number `column` of row `row`.
  [[nodiscard]] double number(std::size_t row, std::size_t column = 0) const;
  [[nodiscard]] std::int64_t integer(std::size_t row, std::size_t column = 0) const;
  // The numbers of a row of an array of doubles; valid until the next call.
  [[nodiscard]] const double* doubles(std::size_t row) const;
  [[nodiscard]] files::Checksum checksum(std::size_t rows) const;  // of the first rows

 private:
  [[nodiscard]] const std::byte* row(std::size_t row) const;
  void read(std::size_t begin, std::size_t count, std::byte* out) const;
  std::string path_;
  Hdf5Id dataset_;
  ElementType type_ = ElementType::Double;
  std::vector<std::size_t> row_shape_;
  std::size_t row_bytes_ = 0, rows_ = 0, block_rows_ = 1;
  mutable std::map<std::size_t, std::vector<std::byte>> blocks_;  // by number
  mutable std::deque<std::size_t> order_;                         // of reading, oldest first
};

// `user_block` bytes in front of HDF5's own are left to the caller.
[[nodiscard]] Hdf5Id create_file(const std::string& path, std::size_t user_block);
// BesideWriter: as a reader of a file that is being written, or whose writer was killed within a flush; its arrays may
// then reach beyond the end of the file that was noted last, which other readers take for an error.
enum class OpenMode : std::uint8_t { Read, BesideWriter, Write };
[[nodiscard]] Hdf5Id open_file(const std::string& path, OpenMode mode);
void write_text(const Hdf5Id& file, const std::string& path, const std::string& text);
[[nodiscard]] std::string read_text(const Hdf5Id& file, const std::string& path);
void write_names(const Hdf5Id& file, const std::string& path, const std::vector<std::string>& names);
[[nodiscard]] std::vector<std::string> read_names(const Hdf5Id& file, const std::string& path);
[[nodiscard]] bool exists(const Hdf5Id& file, const std::string& path);

}  // namespace stickslip::recording
