// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Expressions of a scene, compiled to a flat program for a small stack machine.
//
// One program is evaluated on numbers (forces, observables, stop conditions) or on time jets (prescribed motion:
// value, rate and second derivative at once). What an expression may use is decided by the Scope it is compiled in:
// parameters always; the time, the state of the bodies, the contacts and the history of the run where they exist.
// Truth values are numbers: 0 is false, everything else true.
//
// Ours instead of a library (exprtk, muParser): derivatives by time, functions over the run, the branch that a value is
// on, and errors with the column are part of the language.
//
// Cost: 2 to 5 ns per instruction, no allocation.
#pragma once

#include "stickslip/contact/contact_result.h"
#include "stickslip/contact/force_law.h"
#include "stickslip/expression/expression_syntax.h"
#include "stickslip/model/described_force.h"
#include "stickslip/model/model.h"
#include "stickslip/stepping/stepper.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::collision {
class Overlaps;
}

namespace stickslip::expression {

enum class Op : std::uint8_t;

// What an expression is allowed to use, each level including the ones before.
enum class Reach { Constant, Time, State, Run };

// A function over the run so far, such as max_over_time(x): it owns a place in the memory of the run, and its
// arguments are programs of their own which are evaluated once per step.
struct Tracker;

// The names that an expression may use.
struct Scope {
  Reach reach = Reach::Constant;
  std::map<std::string, double, std::less<>> constants;  // parameters, index variables
  std::map<std::string, int, std::less<>> bodies;        // name -> index into Model::bodies; Reach::State and above
  bool planar = false;                                   // the bodies are planar
  std::map<std::string, SyntaxTree, std::less<>> definitions;  // names that stand for expressions (observables)
  std::map<std::string, int, std::less<>> columns;             // names of the numbers of a row (EvaluationContext)
  std::vector<Tracker>* trackers = nullptr;                    // where functions over the run are kept; Reach::Run
  double shortest_period = 0;                                  // that functions over the run may be given
};

// What an expression is evaluated on. Only what its Scope allows is read.
struct EvaluationContext {
  double time = 0;
  const model::Model* model = nullptr;
  const model::State* state = nullptr;
  std::span<const contact::ContactResult> contacts;
  std::span<const stepping::Event> events;  // changes of contact mode since the last evaluation
  std::span<const Tracker> trackers;
  std::span<const double> columns;          // of a table's row: what Scope::columns points into
  collision::Overlaps* overlaps = nullptr;  // of the model; made where an expression asks for penetration
  contact::ForceLaw force_law;              // of the method, for ranges of forces
};

class Expression {
 public:
  Expression() = default;

  // Throws ExpressionError with the column inside `text`.
  Expression(std::string_view text, const Scope& scope);
  Expression(const SyntaxTree& tree, int node, const Scope& scope);
  explicit Expression(double constant);

  [[nodiscard]] double evaluate(const EvaluationContext& context) const;
  [[nodiscard]] double evaluate(double t) const;              // Reach::Time or less
  [[nodiscard]] model::TimeJet evaluate_jet(double t) const;  // Reach::Time or less

  // Two times with the same signature lie on the same branch of every comparison, floor, mod, abs, min ... : where it
  // changes, the expression may have a jump or a corner. Reach::Time or less.
  [[nodiscard]] std::uint64_t branch_signature(double t) const;
  // The same branches one by one, appended, with the numbers that decide them.
  void choices(const EvaluationContext& context, std::vector<model::Choice>& list) const;

  [[nodiscard]] bool is_constant() const;
  [[nodiscard]] bool has_branches() const { return has_branches_; }  // branch_signature can change
  [[nodiscard]] bool uses_history() const { return uses_history_; }
  // Indices of the bodies whose state it reads, once each, ascending. Reach::State or less.
  [[nodiscard]] std::vector<int> bodies_read() const;
  // Whether the value depends on contacts between these two bodies (or of one of them with any).
  [[nodiscard]] bool depends_on_contact(int body_a, int body_b) const;
  [[nodiscard]] bool depends_on_contacts() const;  // any
  [[nodiscard]] bool asks_for_penetration() const;
  [[nodiscard]] bool asks_for_force_ranges() const;
  // Whether the value holds the time at which a condition first held.
  [[nodiscard]] bool tells_a_time(std::span<const Tracker> trackers) const;

 private:
  friend class ExpressionCompiler;

  struct Instruction {
    Op op{};
    std::uint8_t component = 0;  // of a body variable
    std::int32_t a = 0, b = 0;   // body, tracker, jump target, number of arguments
    double value = 0;            // of a constant
  };

  template <class Number, class Trace>
  Number run(const EvaluationContext& context, Trace& trace) const;

  std::vector<Instruction> code_;
  bool has_branches_ = false, uses_history_ = false;
};

// Every function and constant that expressions know, for the reference and for hints.
// A smooth function of one number with its derivatives. The value must not depend on their being asked for.
struct SmoothValue {
  double value, first, second;
};
struct FunctionInfo {
  const char* name;
  const char* arguments;  // as written in the reference: "x", "a, b", "body_a, body_b"
  int least, most;        // number of arguments
  Op op;
  Reach reach;  // what it needs
  const char* meaning;
  SmoothValue (*smooth)(double x) = nullptr;  // of Op::Smooth
};
[[nodiscard]] std::span<const FunctionInfo> functions();

struct BodyVariable {
  const char* name;  // behind the dot
  const char* meaning;
};
[[nodiscard]] std::span<const BodyVariable> body_variables();

// Names that no parameter may have.
[[nodiscard]] bool is_reserved_name(std::string_view name);
// A letter or underscore, then letters, digits and underscores.
[[nodiscard]] bool is_identifier(std::string_view name);

}  // namespace stickslip::expression
