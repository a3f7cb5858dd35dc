// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "standalone.h"

#include "live_session.h"
#include "output_name.h"

#include "stickslip/files/regular_file.h"
#include "stickslip/report/packing.h"
#include "stickslip/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace stickslip::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostBytes = 100'000'000;  // of a file
constexpr const char* kFolder = "web-assembly";

// In the build folder, or where it was installed.
fs::path simulator_folder() {
  std::vector<fs::path> places;
  if (const char* const named = std::getenv("STICKSLIP_WEB_ASSEMBLY"); named != nullptr) {
    places.emplace_back(named);
  } else {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    places = {here / kFolder, here.parent_path() / "share/stickslip" / kFolder};
  }
  for (const fs::path& place : places)
    if (fs::exists(place / "stickslip.wasm") && fs::exists(place / "stickslip.js")) return place;
  throw std::runtime_error(
      fmt::format("the simulator for browsers (stickslip.js, stickslip.wasm) is not in {}: script/bootstrap --wasm "
                  "installs what it is built with, script/web-assembly builds it",
                  places.front().string()));
}

Json packed(const fs::path& file, report::Packer& packer) {
  const std::string bytes = files::read_regular_file(file, kMostBytes);
  return packer.u8(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

// What the scene reads, the scene itself among it: absolute paths. The scene is begun here as the page will begin it, so
// that what cannot run is refused now.
std::set<fs::path> files_of(const std::string& scene, const std::vector<scene::Override>& overrides) {
  const files::FilesRead read;
  const LiveSession session(scene, overrides, {[](const std::string&) {}, [](const std::string&) {}}, nullptr);
  std::set<fs::path> files;
  for (const fs::path& file : read.list()) files.insert(fs::absolute(file).lexically_normal());
  return files;
}

// The folder that all of them lie in.
fs::path common_folder(const std::set<fs::path>& files) {
  fs::path common = files.begin()->parent_path();
  for (const fs::path& file : files) {
    const auto inside = [&] { return std::ranges::mismatch(common, file).in1 == common.end(); };
    while (!inside()) common = common.parent_path();
  }
  return common;
}

Json scene_json(const std::string& file, const std::vector<scene::Override>& overrides, report::Packer& packer) {
  const std::set<fs::path> files = files_of(file, overrides);
  const fs::path common = common_folder(files);
  const scene::Scene scene = scene::load_scene(file, overrides);
  Json out{{"name", name_after(file, "scene")},
           {"title", scene.title},
           {"description", scene.description},
           {"scene", fs::absolute(file).lexically_normal().lexically_relative(common).string()},
           {"files", Json::array()}};
  for (const fs::path& one : files)
    out["files"].push_back({{"name", one.lexically_relative(common).string()}, {"bytes", packed(one, packer)}});
  return out;
}

}  // namespace

std::string standalone_page(const std::vector<std::string>& scenes, const std::vector<scene::Override>& overrides) {
  const fs::path simulator = simulator_folder();
  report::Packer packer;
  Json out{{"kind", "standalone"}, {"scenes", Json::array()}, {"values", Json::object()}};
  out["script"] = files::read_regular_file(simulator / "stickslip.js", kMostBytes);
  out["wasm"] = packed(simulator / "stickslip.wasm", packer);
  for (const std::string& file : scenes) out["scenes"].push_back(scene_json(file, overrides, packer));
  for (const scene::Override& value : overrides) out["values"][value.name] = value.value;
  out["block"] = packer.text();
  return report::page_with(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace stickslip::app
