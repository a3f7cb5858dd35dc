// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/corpus/gzip.h"

#include "stickslip/complementarity/corpus/corpus_error.h"

#include <fmt/format.h>
#include <zlib.h>
#include <algorithm>
#include <array>

namespace stickslip::complementarity {
namespace {

constexpr int kGzipOnly = 15 + 16;  // zlib's window bits for "gzip wrapper, largest window"
constexpr std::size_t kChunk = std::size_t{1} << 16;
// zlib counts a call's input in unsigned int; feed it in pieces well below that.
constexpr std::size_t kFeed = std::size_t{1} << 30;

// zlib's C streams, ended whatever happens.
struct Inflater {
  z_stream stream{};
  Inflater() {
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw CorpusError("not enough memory to expand the gzip stream");
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

struct Deflater {
  z_stream stream{};
  Deflater() {
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipOnly, 9, Z_DEFAULT_STRATEGY) != Z_OK)
      throw CorpusError("not enough memory to compress");
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

void feed(z_stream& stream, std::string_view& rest) {
  if (stream.avail_in > 0 || rest.empty()) return;
  const std::size_t count = std::min(rest.size(), kFeed);
  // zlib never writes through next_in; its type merely predates const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
  stream.avail_in = static_cast<uInt>(count);
  rest.remove_prefix(count);
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && static_cast<unsigned char>(bytes[1]) == 0x8b;
}

std::string gzip_expand(std::string_view bytes, std::size_t max_bytes) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::array<char, kChunk> chunk;
  std::string text;
  std::string_view rest = bytes;
  for (;;) {
    feed(stream, rest);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int code = inflate(&stream, Z_NO_FLUSH);
    text.append(chunk.data(), chunk.size() - stream.avail_out);
    if (text.size() > max_bytes)
      throw CorpusError(fmt::format("the gzip stream expands to more than {} bytes", max_bytes));
    if (code == Z_STREAM_END) {
      feed(stream, rest);
      if (stream.avail_in == 0) return text;
      // A gzip file may be several streams in a row, as `cat a.gz b.gz` makes them.
      if (inflateReset(&stream) != Z_OK) throw CorpusError("the gzip stream is damaged");
    } else if (code == Z_MEM_ERROR) {
      throw CorpusError("not enough memory to expand the gzip stream");
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      throw CorpusError(fmt::format("the gzip stream is damaged ({})", stream.msg ? stream.msg : "bad data"));
    } else if (stream.avail_in == 0 && rest.empty() && stream.avail_out > 0) {
      throw CorpusError("the gzip stream ends early (truncated file)");
    }
  }
}

std::string gzip_compress(std::string_view text) {
  Deflater deflater;
  z_stream& stream = deflater.stream;
  std::array<char, kChunk> chunk;
  std::string bytes;
  std::string_view rest = text;
  for (;;) {
    feed(stream, rest);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int code = deflate(&stream, rest.empty() ? Z_FINISH : Z_NO_FLUSH);
    bytes.append(chunk.data(), chunk.size() - stream.avail_out);
    if (code == Z_STREAM_END) return bytes;
    if (code != Z_OK && code != Z_BUF_ERROR) throw CorpusError("compression failed");
  }
}

}  // namespace stickslip::complementarity
