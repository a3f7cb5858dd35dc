// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/seal.h"

#include "stickslip/files/checksum.h"
#include "stickslip/files/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

namespace stickslip::recording {
namespace {

constexpr std::string_view kName = "stickslip recording ", kFormat = "2";
constexpr std::string_view kHdf5{"\x89HDF\r\n\x1a\n", 8};

[[noreturn]] void damaged(const std::string& path, std::string_view what) {
  throw RecordingError(fmt::format("the recording {} is damaged: {}", path, what));
}

std::string body_of(const Seal& seal) {
  std::string text = fmt::format("{}{}\nstate {}\nframes {}\ncontacts {}\nevents {}\nend {}\ncontent {:016x}\n", kName,
                                 kFormat, seal.closed ? "closed" : "open", seal.counts.frames, seal.counts.contacts,
                                 seal.counts.events, seal.counts.end_bytes, seal.content);
  if (seal.closed) text += fmt::format("bytes {}\nfile {:016x}\n", seal.bytes, seal.file);
  return text;
}

// The value behind `key` at the beginning of a line; 0 where there is none (the comparison with to_text() finds out).
std::uint64_t number_after(std::string_view text, std::string_view key, int base) {
  const std::size_t at = text.find(fmt::format("\n{} ", key));
  std::uint64_t value = 0;
  if (at == std::string_view::npos) return value;
  const char* begin = text.data() + at + key.size() + 2;
  std::from_chars(begin, text.data() + text.size(), value, base);
  return value;
}

// Everything behind the seal, in pieces.
std::uint64_t checksum_behind_seal(int file, std::uint64_t bytes, const std::string& path) {
  files::Checksum sum;
  std::vector<char> block(std::size_t{1} << 20);
  for (std::uint64_t at = kSealBytes; at < bytes;) {
    const ssize_t got =
        ::pread(file, block.data(), std::min<std::uint64_t>(block.size(), bytes - at), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) damaged(path, "it ends too early");
    sum.add(block.data(), static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return sum.value();
}

std::uint64_t size_of(int file, const std::string& path) {
  struct stat status{};
  if (::fstat(file, &status) != 0) throw RecordingError(fmt::format("cannot read the recording {}", path));
  if (!S_ISREG(status.st_mode)) throw RecordingError(fmt::format("{} is not a regular file", path));
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

std::string to_text(const Seal& seal) {
  std::string text = body_of(seal);
  text += fmt::format("seal {:016x}\n", files::checksum_of(text));
  text.resize(kSealBytes - 1, ' ');
  return text + '\n';
}

Seal seal_from_text(std::string_view text, const std::string& path) {
  if (text.starts_with(kHdf5))
    throw RecordingError(fmt::format(
        "{} is an HDF5 file, but not a recording of this version of stickslip (older recordings have no checksums: run "
        "the scene again)",
        path));
  if (!text.starts_with(kName))
    throw RecordingError(fmt::format("{} is not a recording (stickslip run SCENE makes one)", path));
  const std::string_view format = text.substr(kName.size(), std::min(text.find('\n'), text.size()) - kName.size());
  if (format != kFormat && format.size() < 8 &&
      std::all_of(format.begin(), format.end(), [](char c) { return c >= '0' && c <= '9'; }))
    throw RecordingError(fmt::format("the recording {} has format {}, this program reads {}", path, format, kFormat));
  Seal seal;
  seal.closed = text.find("\nstate closed\n") != std::string_view::npos;
  seal.counts = {number_after(text, "frames", 10), number_after(text, "contacts", 10), number_after(text, "events", 10),
                 number_after(text, "end", 10)};
  seal.content = number_after(text, "content", 16);
  if (seal.closed) {
    seal.bytes = number_after(text, "bytes", 10);
    seal.file = number_after(text, "file", 16);
  }
  if (text != to_text(seal)) damaged(path, "its first 512 bytes have changed");
  return seal;
}

void write_seal(const std::string& path, const Seal& seal) {
  const files::Descriptor file(path, O_WRONLY);
  const std::string text = to_text(seal);
  if (file.number() < 0 || ::pwrite(file.number(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw RecordingError(fmt::format("cannot write the recording {}: {}", path, std::strerror(errno)));
}

Seal read_seal(const std::string& path) {
  const files::Descriptor file(path, O_RDONLY);
  if (file.number() < 0) throw RecordingError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const std::uint64_t size = size_of(file.number(), path);
  std::array<char, kSealBytes> head{};
  const ssize_t got = ::pread(file.number(), head.data(), head.size(), 0);
  if (got < 0) throw RecordingError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const std::string_view text(head.data(), static_cast<std::size_t>(got));
  Seal seal = seal_from_text(text, path);
  if (!seal.closed) return seal;
  if (seal.bytes != size) damaged(path, fmt::format("it has {} bytes and was closed with {}", size, seal.bytes));
  if (checksum_behind_seal(file.number(), size, path) != seal.file) damaged(path, "its checksum does not match");
  return seal;
}

void close_seal(const std::string& path, Seal seal) {
  {
    const files::Descriptor file(path, O_RDONLY);
    if (file.number() < 0) throw RecordingError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    seal.closed = true;
    seal.bytes = size_of(file.number(), path);
    seal.file = checksum_behind_seal(file.number(), seal.bytes, path);
  }
  write_seal(path, seal);
}

}  // namespace stickslip::recording
