// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Flattening: a curve cut into n equal parameter intervals is within |c''|_max / (8 n^2) of its chords.
//     quadratic: |c''| = 2 |p0 - 2 p1 + p2|,    cubic: |c''| <= 6 max(|p0 - 2 p1 + p2|, |p1 - 2 p2 + p3|)
// An arc of radius r over the angle a per chord is within r (1 - cos(a/2)).
#include "stickslip/model/svg_path.h"

#include "stickslip/model/polygon_checks.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace stickslip::model {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kMostChords = 10000;    // per curve
constexpr int kMostPoints = 1000000;  // of the whole path

class PathReader {
 public:
  explicit PathReader(std::string_view text) : text_(text) {}

  // The next command letter, 0 when a number follows (repetition of the last command), -1 at the end.
  int command() {
    skip();
    if (at_ == text_.size()) return -1;
    const char c = text_[at_];
    if (std::string_view("MmLlHhVvCcSsQqTtAaZz").find(c) != std::string_view::npos) {
      ++at_;
      return c;
    }
    if (starts_number(c)) return 0;
    fail(fmt::format("unknown command \"{}\"", c));
  }

  double number() {
    skip();
    std::size_t begin = at_;
    if (begin < text_.size() && text_[begin] == '+') ++begin;
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) fail("expected a number");
    if (std::abs(value) > 1e40) fail(fmt::format("the number {} is too large", value));
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  Vec2 point() {
    const double x = number();
    return {x, number()};
  }

  // Arc flags may stand without a separator.
  bool flag() {
    skip();
    if (at_ < text_.size() && (text_[at_] == '0' || text_[at_] == '1')) return text_[at_++] == '1';
    fail("expected a flag, 0 or 1");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("SVG path, character {}: {}", at_ + 1, what));
  }

 private:
  static bool starts_number(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+'; }
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n,").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Outline {
 public:
  explicit Outline(double tolerance) : tolerance_(tolerance) {}

  void begin(const Vec2& p) {
    finish();
    loop_.clear();
    line(p);
  }
  void line(const Vec2& p) {
    if (++points_ > kMostPoints) throw std::runtime_error(fmt::format("SVG path: more than {} points", kMostPoints));
    loop_.push_back(p);
  }

  void quadratic(const Vec2& p1, const Vec2& p2) {
    const Vec2 p0 = loop_.back();
    const int n = chords(0.25 * (p0 - 2 * p1 + p2).norm());
    for (int i = 1; i <= n; ++i) {
      const double t = static_cast<double>(i) / n, s = 1 - t;
      line(s * s * p0 + 2 * s * t * p1 + t * t * p2);
    }
  }

  void cubic(const Vec2& p1, const Vec2& p2, const Vec2& p3) {
    const Vec2 p0 = loop_.back();
    const int n = chords(0.75 * std::max((p0 - 2 * p1 + p2).norm(), (p1 - 2 * p2 + p3).norm()));
    for (int i = 1; i <= n; ++i) {
      const double t = static_cast<double>(i) / n, s = 1 - t;
      line(s * s * s * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t * t * t * p3);
    }
  }

  // From the present point to `end` on an ellipse with radii r, turned by `turn`: centre and angles as the SVG
  // standard defines them (radii that are too small are scaled up).
  void arc(Vec2 r, double turn, bool large, bool sweep, const Vec2& end) {
    const Vec2 start = loop_.back();
    r = r.cwiseAbs();
    if (r.x() == 0 || r.y() == 0) return line(end);
    if (start == end) return;
    const Eigen::Rotation2Dd rotation(turn);
    const Vec2 half = rotation.inverse() * Vec2(0.5 * (start - end));
    const double excess = half.cwiseQuotient(r).squaredNorm();
    if (excess > 1) r *= std::sqrt(excess);
    const double x = half.x() * r.y(), y = half.y() * r.x(), a = r.x() * r.y();
    const double root = std::sqrt(std::max(0.0, (a * a - x * x - y * y) / (x * x + y * y)));
    const Vec2 centre_turned =
        (large == sweep ? -root : root) * Vec2(r.x() * half.y() / r.y(), -r.y() * half.x() / r.x());
    const Vec2 centre = rotation * centre_turned + 0.5 * (start + end);
    const Vec2 from = (half - centre_turned).cwiseQuotient(r), to = (-half - centre_turned).cwiseQuotient(r);
    const double angle = std::atan2(from.y(), from.x());
    double swing = std::atan2(to.y(), to.x()) - angle;
    if (sweep && swing < 0) swing += 2 * kPi;
    if (!sweep && swing > 0) swing -= 2 * kPi;
    const double sagitta = std::min(1.0, tolerance_ / r.maxCoeff());
    const double n = std::ceil(std::abs(swing) / (2 * std::acos(1 - sagitta)));
    const int count = static_cast<int>(std::clamp(n, 1.0, static_cast<double>(kMostChords)));
    for (int i = 1; i < count; ++i) {
      const double t = angle + swing * i / count;
      line(centre + rotation * Vec2(r.x() * std::cos(t), r.y() * std::sin(t)));
    }
    line(end);
  }

  // Closes the loop; drops chords of no length.
  void finish() {
    std::vector<Vec2> kept;
    for (const Vec2& p : loop_) {
      if (kept.empty() || p != kept.back()) kept.push_back(p);
    }
    // The last point of a closed path often misses the first by rounding.
    while (kept.size() > 1 && (kept.back() - kept.front()).norm() <= 1e-6 * tolerance_) kept.pop_back();
    if (kept.size() > 1) polygon_.loops.push_back(std::move(kept));
    loop_.clear();
  }

  [[nodiscard]] const Vec2& start() const { return loop_.front(); }
  [[nodiscard]] const Vec2& present() const { return loop_.back(); }
  [[nodiscard]] bool empty() const { return loop_.empty(); }
  [[nodiscard]] Polygon& polygon() { return polygon_; }

 private:
  [[nodiscard]] int chords(double deviation) const {
    const double n = std::ceil(std::sqrt(deviation / tolerance_));
    return static_cast<int>(std::clamp(n, 1.0, static_cast<double>(kMostChords)));
  }

  double tolerance_;
  int points_ = 0;
  std::vector<Vec2> loop_;
  Polygon polygon_;
};

class Interpreter {
 public:
  Interpreter(std::string_view text, double tolerance) : in_(text), out_(tolerance) {}

  Polygon run() {
    for (int next = in_.command(); next != -1; next = in_.command()) {
      if (next != 0) {
        command_ = static_cast<char>(next);
      } else if (command_ == 'Z' || command_ == 'z' || command_ == 0) {
        in_.fail("found a number where a command was expected");
      }
      step();
    }
    out_.finish();
    check_polygon(out_.polygon());
    return std::move(out_.polygon());
  }

 private:
  [[nodiscard]] Vec2 base() const { return command_ >= 'a' && !out_.empty() ? out_.present() : Vec2(Vec2::Zero()); }

  void step() {
    const char kind = static_cast<char>(command_ & ~0x20);
    if (kind == 'M') return move();
    if (out_.empty()) {
      if (!closed_) in_.fail("the path must begin with M");
      out_.begin(closed_start_);  // after Z the next subpath begins where the last one began
    }
    const Vec2 origin = base();
    const Vec2 present = out_.present();
    Vec2 control = present;
    switch (kind) {
      case 'L': out_.line(origin + in_.point()); break;
      case 'H': out_.line({origin.x() + in_.number(), present.y()}); break;
      case 'V': out_.line({present.x(), origin.y() + in_.number()}); break;
      case 'C': {
        const Vec2 a = origin + in_.point();
        control = origin + in_.point();
        out_.cubic(a, control, origin + in_.point());
        break;
      }
      case 'S': {
        const Vec2 a = last_kind_ == 'C' || last_kind_ == 'S' ? Vec2(2 * present - control_) : present;
        control = origin + in_.point();
        out_.cubic(a, control, origin + in_.point());
        break;
      }
      case 'Q': {
        control = origin + in_.point();
        out_.quadratic(control, origin + in_.point());
        break;
      }
      case 'T': {
        control = last_kind_ == 'Q' || last_kind_ == 'T' ? Vec2(2 * present - control_) : present;
        out_.quadratic(control, origin + in_.point());
        break;
      }
      case 'A': {
        const Vec2 r = in_.point();
        const double turn = in_.number() * kPi / 180;
        const bool large = in_.flag(), sweep = in_.flag();
        out_.arc(r, turn, large, sweep, origin + in_.point());
        break;
      }
      default:  // Z
        closed_ = true;
        closed_start_ = out_.start();
        out_.finish();
        break;
    }
    control_ = control;
    last_kind_ = kind;
  }

  void move() {
    Vec2 origin = base();
    if (command_ == 'm' && out_.empty() && closed_) origin = closed_start_;
    out_.begin(origin + in_.point());
    last_kind_ = 'M';
    command_ = command_ == 'm' ? 'l' : 'L';  // further pairs are lines
  }

  PathReader in_;
  Outline out_;
  char command_ = 0, last_kind_ = 0;
  Vec2 control_ = Vec2::Zero(), closed_start_ = Vec2::Zero();
  bool closed_ = false;
};

}  // namespace

Polygon parse_svg_path(std::string_view d, double tolerance) {
  if (!(tolerance > 0) || !std::isfinite(tolerance))
    throw std::runtime_error("SVG path: the tolerance must be positive");
  return Interpreter(d, tolerance).run();
}

}  // namespace stickslip::model
