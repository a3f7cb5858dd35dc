// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/motion/closed_form.h"

#include <algorithm>
#include <cmath>

namespace stickslip::motion {
namespace {

// Products multiply the number of terms; beyond this, numerical integration is as good.
constexpr std::size_t kMostTerms = 512;
constexpr int kHighestPower = 12;

class Recogniser {
 public:
  Recogniser(const expression::SyntaxTree& tree, const expression::Scope& scope) : tree_(tree), scope_(scope) {}

  std::optional<ClosedForm> form(int index) const {
    const expression::SyntaxNode& node = tree_.at(index);
    switch (node.kind) {
      case expression::SyntaxNode::Kind::Number: return ClosedForm(node.number);
      case expression::SyntaxNode::Kind::Name: return name(index);
      case expression::SyntaxNode::Kind::Operation: return limited(operation(index));
      case expression::SyntaxNode::Kind::Call: return limited(call(index));
      case expression::SyntaxNode::Kind::Conditional: return constant(index);
    }
    return std::nullopt;
  }

 private:
  static std::optional<ClosedForm> limited(std::optional<ClosedForm> form) {
    if (!form || form->terms().size() > kMostTerms) return std::nullopt;
    for (const ClosedForm::Term& term : form->terms()) {
      const bool finite = std::isfinite(term.sine) && std::isfinite(term.cosine) && std::isfinite(term.frequency);
      if (term.power > kHighestPower || !finite) return std::nullopt;
    }
    return form;
  }

  // Whatever folds to a number.
  std::optional<ClosedForm> constant(int index) const {
    const expression::Expression expression(tree_, index, scope_);
    if (!expression.is_constant()) return std::nullopt;
    return ClosedForm(expression.evaluate(0));
  }

  std::optional<ClosedForm> name(int index) const {
    if (tree_.at(index).text == "t" && !scope_.constants.contains("t")) {
      // t = the integral of 1
      return ClosedForm(1).integral();
    }
    return constant(index);
  }

  std::optional<ClosedForm> operation(int index) const {
    const expression::SyntaxNode& node = tree_.at(index);
    const std::optional<ClosedForm> a = form(node.children[0]);
    if (!a) return std::nullopt;
    if (node.op == expression::Operator::Negate) return *a * -1.0;
    if (node.children.size() < 2) return constant(index);
    const std::optional<ClosedForm> b = form(node.children[1]);
    if (!b) return std::nullopt;
    switch (node.op) {
      case expression::Operator::Add: return *a + *b;
      case expression::Operator::Subtract: return *a + *b * -1.0;
      case expression::Operator::Multiply: return *a * *b;
      case expression::Operator::Divide:
        if (!b->is_constant() || b->constant_term() == 0) return std::nullopt;
        if (a->is_constant()) return ClosedForm(a->constant_term() / b->constant_term());
        return *a * (1 / b->constant_term());
      case expression::Operator::Power: return power(*a, *b);
      default: return constant(index);
    }
  }

  static std::optional<ClosedForm> power(const ClosedForm& base, const ClosedForm& exponent) {
    if (!exponent.is_constant()) return std::nullopt;
    const double n = exponent.constant_term();
    if (base.is_constant()) return ClosedForm(std::pow(base.constant_term(), n));
    if (n < 0 || n > kHighestPower || n != std::floor(n)) return std::nullopt;
    ClosedForm product(1);
    for (int i = 0; i < static_cast<int>(n); ++i) {
      product = product * base;
      if (product.terms().size() > kMostTerms) return std::nullopt;
    }
    return product;
  }

  std::optional<ClosedForm> call(int index) const {
    const expression::SyntaxNode& node = tree_.at(index);
    if (node.children.size() == 1 && (node.text == "sin" || node.text == "cos")) {
      const std::optional<ClosedForm> angle = form(node.children[0]);
      if (!angle) return std::nullopt;
      return node.text == "sin" ? ClosedForm::sine_of(*angle) : ClosedForm::cosine_of(*angle);
    }
    return constant(index);
  }

  const expression::SyntaxTree& tree_;
  const expression::Scope& scope_;
};

// w and c of the angle w t + c.
bool linear(const ClosedForm& angle, double& w, double& c) {
  w = c = 0;
  for (const ClosedForm::Term& term : angle.terms()) {
    if (term.frequency != 0 || term.power > 1) return false;
    (term.power == 1 ? w : c) = term.cosine;
  }
  return true;
}

}  // namespace

ClosedForm::ClosedForm(double constant) {
  add({0, 0, 0, constant});
}

std::optional<ClosedForm> ClosedForm::recognise(std::string_view text, const expression::Scope& scope) {
  const expression::SyntaxTree tree = expression::parse_expression(text);
  return Recogniser(tree, scope).form(tree.root);
}

void ClosedForm::add(const Term& term) {
  const auto key = [](const Term& x) { return std::pair(x.frequency, x.power); };
  auto place = std::ranges::lower_bound(terms_, key(term), {}, key);
  if (place == terms_.end() || key(*place) != key(term)) {
    place = terms_.insert(place, Term{term.power, term.frequency, 0, 0});
  }
  place->sine += term.sine;
  place->cosine += term.cosine;
  if (place->sine == 0 && place->cosine == 0) terms_.erase(place);
}

bool ClosedForm::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_[0].frequency == 0 && terms_[0].power == 0);
}

bool ClosedForm::is_oscillation() const {
  return std::ranges::all_of(terms_, [](const Term& term) { return term.frequency > 0 && term.power == 0; });
}

double ClosedForm::constant_term() const {
  const bool has = !terms_.empty() && terms_[0].frequency == 0 && terms_[0].power == 0;
  return has ? terms_[0].cosine : 0;
}

ClosedForm ClosedForm::operator+(const ClosedForm& other) const {
  ClosedForm sum = *this;
  for (const Term& term : other.terms_) sum.add(term);
  return sum;
}

ClosedForm ClosedForm::operator*(double factor) const {
  ClosedForm product;
  for (const Term& term : terms_) product.add({term.power, term.frequency, factor * term.sine, factor * term.cosine});
  return product;
}

// Products of sines and cosines are halves of sums with the sum and the difference of the frequencies.
ClosedForm ClosedForm::operator*(const ClosedForm& other) const {
  ClosedForm product;
  for (const Term& x : terms_) {
    for (const Term& y : other.terms_) {
      const int power = x.power + y.power;
      if (x.frequency == 0 || y.frequency == 0) {
        // One of them is C t^n.
        const Term& wave = x.frequency == 0 ? y : x;
        const double factor = x.frequency == 0 ? x.cosine : y.cosine;
        product.add({power, wave.frequency, factor * wave.sine, factor * wave.cosine});
        continue;
      }
      const double sum = x.frequency + y.frequency;
      const double difference = std::abs(x.frequency - y.frequency);
      const double sign = x.frequency >= y.frequency ? 1 : -1;
      const double ss = 0.5 * x.sine * y.sine, cc = 0.5 * x.cosine * y.cosine;
      const double sc = 0.5 * x.sine * y.cosine, cs = 0.5 * x.cosine * y.sine;
      product.add({power, sum, sc + cs, cc - ss});
      product.add({power, difference, difference == 0 ? 0 : sign * (sc - cs), cc + ss});
    }
  }
  return product;
}

std::optional<ClosedForm> ClosedForm::sine_of(const ClosedForm& angle) {
  double w = 0, c = 0;
  if (!linear(angle, w, c)) return std::nullopt;
  if (w == 0) return ClosedForm(std::sin(c));
  ClosedForm result;
  result.add({0, std::abs(w), std::copysign(1.0, w) * std::cos(c), std::sin(c)});
  return result;
}

std::optional<ClosedForm> ClosedForm::cosine_of(const ClosedForm& angle) {
  double w = 0, c = 0;
  if (!linear(angle, w, c)) return std::nullopt;
  if (w == 0) return ClosedForm(std::cos(c));
  ClosedForm result;
  result.add({0, std::abs(w), -std::copysign(1.0, w) * std::sin(c), std::cos(c)});
  return result;
}

// By parts: the integral of t^n sin is -t^n cos / w + n/w times the integral of t^(n-1) cos; of t^n cos it is
// t^n sin / w - n/w times the integral of t^(n-1) sin.
ClosedForm ClosedForm::integral() const {
  ClosedForm result;
  for (const Term& term : terms_) {
    if (term.frequency == 0) {
      result.add({term.power + 1, 0, 0, term.cosine / (term.power + 1)});
      continue;
    }
    const double w = term.frequency;
    double sine = term.sine, cosine = term.cosine;
    for (int n = term.power; n >= 0; --n) {
      result.add({n, w, cosine / w, -sine / w});
      const double next_sine = -cosine * n / w, next_cosine = sine * n / w;
      sine = next_sine;
      cosine = next_cosine;
    }
  }
  return result;
}

model::TimeJet ClosedForm::evaluate(double t) const {
  // The degrees of freedom of a vibrating body are asked one after the other at one time, and mostly have one
  // frequency: the last sine and cosine are kept. Per thread, and without influence on any result.
  struct Wave {
    double angle = 0, sine = 0, cosine = 1;
  };
  thread_local Wave wave;
  model::TimeJet sum;
  double frequency = 0, s = 0, c = 1;
  for (const Term& term : terms_) {
    if (term.frequency != frequency) {
      frequency = term.frequency;
      if (const double angle = frequency * t; angle != wave.angle) wave = {angle, std::sin(angle), std::cos(angle)};
      s = wave.sine;
      c = wave.cosine;
    }
    // The wave and its derivatives, then the product with t^n.
    const double w = frequency;
    const double f = term.sine * s + term.cosine * c;
    const double df = w * (term.sine * c - term.cosine * s);
    const double ddf = -w * w * f;
    if (term.power == 0) {
      sum.value += f;
      sum.rate += df;
      sum.second += ddf;
      continue;
    }
    const int n = term.power;
    double below = 1;  // t^(n-2), or 1 when n = 1
    for (int i = 2; i < n; ++i) below *= t;
    const double power_1 = n == 1 ? 1 : below * t;  // t^(n-1)
    const double g = power_1 * t, dg = n * power_1, ddg = n == 1 ? 0 : n * (n - 1) * below;
    sum.value += g * f;
    sum.rate += dg * f + g * df;
    sum.second += ddg * f + 2 * dg * df + g * ddf;
  }
  return sum;
}

}  // namespace stickslip::motion
