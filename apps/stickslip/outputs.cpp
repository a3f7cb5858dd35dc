// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "outputs.h"

#include "output_name.h"

#include "stickslip/scene/document.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>

namespace stickslip::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSvgMark = "<!-- written by stickslip -->";
constexpr std::string_view kPdfMark = "% written by stickslip";
constexpr std::string_view kPngMark{"Software\0stickslip", 18};
constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1a\n", 8};
constexpr std::size_t kPngHeader = 8 + 25;                        // signature and the chunk IHDR, which must be first
constexpr std::string_view kVideoSignature = "\x1a\x45\xdf\xa3";  // EBML; the writer is named behind it
constexpr std::size_t kHeadBytes = 4096;

bool has(std::string_view head, std::string_view part) {
  return head.find(part) != std::string_view::npos;
}

// Does a file that begins so come from the verb that writes this kind?
bool ours(std::string_view head, OutputKind kind) {
  switch (kind) {
    case OutputKind::Recording: return head.starts_with("stickslip recording ");
    case OutputKind::Checkpoint: return has(head.substr(0, 64), "stickslip checkpoint ");
    case OutputKind::Page: return head.starts_with("<!doctype html>") && has(head, "<title>stickslip");
    case OutputKind::Svg: return has(head, "<svg") && has(head, kSvgMark);
    case OutputKind::Png: return head.starts_with(kPngSignature) && has(head, kPngMark);
    case OutputKind::Pdf: return head.starts_with("%PDF") && has(head, kPdfMark);
    case OutputKind::Video: return head.starts_with(kVideoSignature) && has(head, "stickslip");
    case OutputKind::Csv:  // of recordings, of studies, of the evaluations of a search, of figures
      return head.starts_with("time,") || head.starts_with("trial,group,repeat,") ||
             head.starts_with("evaluation,start,") || head.starts_with("panel,curve,x,y,");
    case OutputKind::Scene: return head.starts_with("# A solution of ") || head.starts_with("# Design with objective ");
    case OutputKind::Store: return true;  // a store refuses what is none, with its own words
  }
  return false;
}

// The first bytes of a file; of PDF, whose marks are comments behind the end, the last ones too.
std::string head_of(const std::string& file) {
  std::string head(kHeadBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (head.size() == kHeadBytes && head.starts_with("%PDF")) {
    std::string tail(kPdfMark.size() + 1, '\0');
    in.seekg(-static_cast<std::streamoff>(tail.size()), std::ios::end);
    in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
    head += tail;
  }
  return head;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

void visit_texts(const scene::Value& value, const std::function<void(const scene::Value&)>& visit) {
  if (value.kind == scene::Value::Kind::Text) visit(value);
  for (const scene::Value& item : value.items) visit_texts(item, visit);
  for (const scene::Value::Entry& entry : value.entries) visit_texts(entry.value, visit);
}

std::uint32_t png_checksum(std::string_view bytes) {  // CRC-32 of the PNG specification, annex D
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

std::string big_endian(std::uint32_t x) {
  return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
}

}  // namespace

// A document with what it includes, and every file that one of its texts names: meshes, pictures, scenes of studies and
// plans, and what these name in turn.
void Outputs::add_document(const std::string& file) {
  if (std::ranges::any_of(expanded_, [&](const std::string& known) { return same_file(known, file); })) return;
  expanded_.push_back(file);
  if (fs::path(file).extension() != ".toml") return;
  scene::Document document;
  try {
    document = scene::read_document(file);
  } catch (const std::exception&) {
    return;  // it has its own message, from whoever reads it
  }
  for (const scene::SourceFile& included : document.included) expanded_.push_back(included.file.string());
  visit_texts(document.root, [&](const scene::Value& value) {
    if (value.text.empty() || value.text.size() > 1000) return;
    std::error_code error;
    for (const fs::path& folder : {fs::path(value.place.file).parent_path(), fs::path(file).parent_path()})
      if (const fs::path named = folder / value.text; fs::is_regular_file(named, error)) add_document(named.string());
  });
}

const std::vector<std::string>& Outputs::all_inputs() {
  if (known_) return expanded_;
  known_ = true;
  for (const std::string& input : inputs_) add_document(input);
  return expanded_;
}

void Outputs::claim(const std::string& file, OutputKind kind) {
  std::error_code error;
  const std::string name = fs::weakly_canonical(file, error).string();
  const bool device = fs::exists(file, error) && !fs::is_regular_file(file, error) && !fs::is_directory(file, error);
  if (!device && !claimed_.insert(error ? file : name).second)
    throw OutputError(fmt::format("cannot write {}: two outputs have that name", file));
  if (device) return;
  if (fs::is_regular_file(file, error)) {  // a file that does not exist is no input
    for (const std::string& input : all_inputs())
      if (same_file(input, file))
        throw OutputError(fmt::format("cannot write {}: it is an input of this command{}", file,
                                      fs::path(input) == fs::path(file) ? "" : fmt::format(" ({})", input)));
    const std::string head = head_of(file);
    if (!force_ && !head.empty() && !ours(head, kind))
      throw OutputError(
          fmt::format("cannot write {}: it exists and was not written by this command (--force writes over it)", file));
  }
  try {
    require_writable(file);
  } catch (const std::runtime_error& reason) {
    throw OutputError(reason.what());
  }
}

void add_force_option(CLI::App& verb, bool& force) {
  verb.add_flag("--force", force,
                "Write over files that exist and were not written by this command (never over inputs)");
}

std::string with_mark(std::string picture, OutputKind kind) {
  if (kind == OutputKind::Svg) {
    const std::size_t end = picture.find('>', picture.find("<svg"));  // of the opening tag
    if (end != std::string::npos) picture.insert(end + 1, fmt::format("\n{}", kSvgMark));
  } else if (kind == OutputKind::Pdf) {
    picture += fmt::format("{}\n", kPdfMark);
  } else if (kind == OutputKind::Png && picture.starts_with(kPngSignature) && picture.size() > kPngHeader) {
    const std::string chunk = "tEXt" + std::string(kPngMark);
    picture.insert(kPngHeader,
                   big_endian(static_cast<std::uint32_t>(kPngMark.size())) + chunk + big_endian(png_checksum(chunk)));
  }
  return picture;
}

}  // namespace stickslip::app
