// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Work and precision: how far the body is from where mechanics says at the end of scenes with closed forms, against the time of a step, for
// the default stepper beside ODE, Bullet and MuJoCo where they are installed. One process, one run of all after the other.
//
//     script/bench precision            the table, and build/bench/precision.svg
//     script/bench precision TEXT       scenes whose names have TEXT in them
//
// Error: distance of the centre from its known place. Time: processor time per simulated second, the smallest of several runs. Ours is
// lowest at a cost when no peer has a smaller error in the same time or less; where one has, it is said. Errors below kFloor count as none:
// rounding of numbers of about 1 over thousands of steps.
#include "bench/common/plot.h"
#include "bench/common/report.h"
#include "bench/common/stopwatch.h"
#include "bench/precision_worlds.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>

namespace {

using namespace stickslip;
using bench::PrecisionPeer;
using bench::PrecisionScene;

constexpr double kSteps[] = {1e-1, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 1e-4};
constexpr double kFloor = 1e-11;
constexpr double kGravity = 9.81;

PrecisionScene box(const char* name, double tangent, double speed, double mu, double duration) {
  PrecisionScene scene;
  scene.name = name;
  scene.is_box = true;
  scene.size = Vec3(0.2, 0.2, 0.1);
  scene.mu = mu;
  scene.duration = duration;
  const double c = 1 / std::hypot(1, tangent), down = kGravity * tangent * c, friction = mu * kGravity * c;
  scene.gravity = Vec3(down, 0, -kGravity * c);
  scene.position = Vec3(0, 0, 0.05);
  scene.velocity = Vec3(speed, 0, 0);
  double way = 0;
  if (speed > 0 || down > friction) {  // sliding, perhaps to a stop
    const double a = down - friction, t = a < 0 ? std::min(duration, -speed / a) : duration;
    way = speed * t + 0.5 * a * t * t;
  }
  scene.answer = scene.position + Vec3(way, 0, 0);
  return scene;
}

// Slides with a constant direction of slip, then rolls.
PrecisionScene ball() {
  PrecisionScene scene;
  scene.name = "shot of a spinning ball";
  const double R = 0.05;
  scene.size = Vec3::Constant(R);
  scene.mass = 0.2;
  scene.mu = 0.2;
  scene.gravity = Vec3(0, 0, -kGravity);
  scene.position = Vec3(0, 0, R);
  scene.velocity = Vec3(1, 0.5, 0);
  scene.spin = Vec3(40, -20, -10);
  const Vec3 slip = scene.velocity + scene.spin.cross(Vec3(0, 0, -R));
  const double a = scene.mu * kGravity, rolls = slip.norm() / (3.5 * a), T = scene.duration;
  const Vec3 d = slip.normalized(), end = scene.velocity - a * rolls * d;
  scene.answer = scene.position + rolls * scene.velocity - 0.5 * a * rolls * rolls * d + (T - rolls) * end;
  return scene;
}

// Falls and bounces: parabolas, each with `e` of the speed of the last one.
PrecisionScene bounce() {
  PrecisionScene scene;
  scene.name = "ball that bounces";
  const double R = 0.05, drop = 0.5, e = 0.8;
  scene.size = Vec3::Constant(R);
  scene.mu = 0.2;
  scene.restitution = e;
  scene.gravity = Vec3(0, 0, -kGravity);
  scene.position = Vec3(0, 0, R + drop);
  scene.duration = 1.5;
  double left = scene.duration - std::sqrt(2 * drop / kGravity), v = e * std::sqrt(2 * drop * kGravity);
  for (; left > 2 * v / kGravity; v *= e) left -= 2 * v / kGravity;
  scene.answer = Vec3(0, 0, R + v * left - 0.5 * kGravity * left * left);
  return scene;
}

std::string text_of(const PrecisionScene& scene) {
  const auto list = [](const Vec3& x) { return fmt::format("[{}, {}, {}]", x.x(), x.y(), x.z()); };
  const std::string shape = scene.is_box ? "box = " + list(scene.size) : fmt::format("sphere = {}", scene.size.x());
  return fmt::format(
      "dimension = 3\ngravity = {}\nduration = {}\n[[body]]\nname = \"floor\"\nshape = {{ half-space = {{ normal = [0, "
      "0, 1] }} "
      "}}\nfixed = true\n[[body]]\nname = \"body\"\nmass = {}\nshape = {{ {} }}\nposition = {}\nvelocity = "
      "{}\nangular_velocity = "
      "{}\n[[contact]]\nbetween = [\"body\", \"floor\"]\nfriction = {}\nrestitution = {}\n",
      list(scene.gravity), scene.duration, scene.mass, shape, list(scene.position), list(scene.velocity),
      list(scene.spin), scene.mu, scene.restitution);
}

class OurWorld : public bench::PrecisionWorld {
 public:
  OurWorld(const PrecisionScene& scene, double h)
      : scene_(scene::parse_scene(text_of(scene), "precision", {{{"method.step", fmt::format("{}", h)}}})),
        simulation_(scene_.model, scene_.method) {}
  void step() override { certified_ = simulation_.step().certified && certified_; }
  [[nodiscard]] Vec3 position() const override {
    return certified_ ? simulation_.state().bodies[1].pose.position
                      : Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
  }

 private:
  scene::Scene scene_;
  simulation::Simulation simulation_;
  bool certified_ = true;
};

struct Point {
  double h = 0, seconds = std::numeric_limits<double>::infinity(), error = 0;  // per simulated second
};

Point measure(const PrecisionPeer& peer, const PrecisionScene& scene, double h) {
  constexpr double kLeast = 0.05;  // seconds for each point, so that the smallest of several is taken
  constexpr int kMostRuns = 40;
  const auto steps = static_cast<int>(std::lround(scene.duration / h));
  Point point;
  point.h = h;
  double spent = 0;
  for (int run = 0; run < kMostRuns && (run < 2 || spent < kLeast); ++run) {
    const std::unique_ptr<bench::PrecisionWorld> world = peer.make(scene, h);
    const bench::Stopwatch watch;
    for (int k = 0; k < steps; ++k) world->step();
    const double seconds = watch.seconds();
    spent += seconds;
    point.seconds = std::min(point.seconds, seconds / scene.duration);
    point.error = (world->position() - scene.answer).norm();
  }
  return point;
}

struct Row {
  std::string name;
  std::vector<Point> points;
};

std::string shown(double error) {
  return error <= kFloor ? fmt::format("< {:.0e}", kFloor) : fmt::format("{:.1e}", error);
}

// Where a peer has a smaller error than the best of ours in the same time or less; and what peers reach in less time than any of ours takes.
void print_verdict(const std::vector<Row>& rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::string better;
  double cheapest = kInfinity, reached = kInfinity;
  for (const Point& own : rows[0].points) cheapest = std::min(cheapest, own.seconds);
  for (std::size_t k = 1; k < rows.size(); ++k)
    for (const Point& peer : rows[k].points) {
      if (!std::isfinite(peer.error)) continue;
      if (peer.seconds < cheapest) {
        reached = std::min(reached, peer.error);
        continue;
      }
      double ours = kInfinity;  // the least error of ours in that time
      for (const Point& own : rows[0].points)
        if (own.seconds <= peer.seconds) ours = std::min(ours, own.error);
      if (std::max(ours, kFloor) > std::max(peer.error, kFloor))
        better += fmt::format("{}{} at {} a second: {}, ours {}", better.empty() ? "" : "; ", rows[k].name,
                              bench::time_text(peer.seconds), shown(peer.error), shown(ours));
    }
  fmt::print("  from {} a second on: {}", bench::time_text(cheapest),
             better.empty() ? "ours lowest at every cost" : "better than ours: " + better);
  if (std::isfinite(reached)) fmt::print("; cheaper than any of ours: errors of {} and more", shown(reached));
  fmt::print("\n\n");
}

bench::Panel panel_of(const PrecisionScene& scene, const std::vector<Row>& rows) {
  bench::Panel panel;
  panel.title = scene.name;
  double low = 1, high = kFloor, fast = 1, slow = 1e-9;
  for (const Row& row : rows) {
    bench::Curve curve{row.name, {}, {}, false, &row == rows.data()};
    for (const Point& point : row.points) {
      const double error = std::max(point.error, kFloor);
      if (!std::isfinite(error)) continue;
      curve.x.push_back(point.seconds), curve.y.push_back(error);
      low = std::min(low, error), high = std::max(high, error);
      fast = std::min(fast, point.seconds), slow = std::max(slow, point.seconds);
    }
    panel.curves.push_back(std::move(curve));
  }
  panel.x = bench::decades("processor seconds per second", fast, slow);
  panel.y = bench::decades("error (m)", low, high);
  return panel;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string selection = argc > 1 ? argv[1] : "", output = "build/bench/precision.svg";
  std::vector<PrecisionPeer> peers = {{"stickslip, default", true, [](const PrecisionScene& scene, double h) {
                                         return std::make_unique<OurWorld>(scene, h);
                                       }}};
  [[maybe_unused]] const auto add = [&](std::vector<PrecisionPeer> more) {
    peers.insert(peers.end(), more.begin(), more.end());
  };
#ifdef STICKSLIP_HAVE_ODE
  add(bench::ode_precision());
#endif
#ifdef STICKSLIP_HAVE_BULLET
  add(bench::bullet_precision());
#endif
#ifdef STICKSLIP_HAVE_MUJOCO
  add(bench::mujoco_precision());
#endif
  const PrecisionScene scenes[] = {ball(), box("block that slides to rest", 0, 2, 0.3, 1),
                                   box("box held on a slope", 0.5, 0, 0.6, 2), box("box down a slope", 0.7, 0, 0.6, 1),
                                   bounce()};
  std::vector<bench::Panel> panels;
  for (const PrecisionScene& scene : scenes) {
    if (scene.name.find(selection) == std::string::npos) continue;
    fmt::print("{}: error in m, time of a step\n  {:<20}", scene.name, "step (s)");
    for (const double h : kSteps) fmt::print(" {:>18}", h);
    fmt::print("\n");
    std::vector<Row> rows;
    for (const PrecisionPeer& peer : peers) {
      if (scene.restitution > 0 && !peer.restitution) continue;
      Row row{peer.name, {}};
      fmt::print("  {:<20}", peer.name);
      for (const double h : kSteps) {
        row.points.push_back(measure(peer, scene, h));
        fmt::print(" {:>8} {:>9}", shown(row.points.back().error), bench::time_text(h * row.points.back().seconds));
      }
      fmt::print("\n");
      rows.push_back(std::move(row));
    }
    print_verdict(rows);
    panels.push_back(panel_of(scene, rows));
  }
  std::ofstream(output) << bench::svg_plot("Error against work: scenes with closed forms", panels, 3);
  fmt::print("plot: {}\n", output);
}
