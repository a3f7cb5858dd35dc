// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of expression.h.
//
// The stack machine. One loop serves numbers and time jets; a trace is told every branch that is taken: it folds them into
// a hash (Expression::branch_signature) or lists them (Expression::choices).
#include "stickslip/expression/expression.h"
#include "stickslip/expression/expression_compiler.h"
#include "stickslip/expression/jet.h"
#include "stickslip/expression/run_quantities.h"
#include "stickslip/expression/tracker.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace stickslip::expression {
namespace {

// splitmix64's finaliser: every bit of the input moves every bit of the output.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

struct NoTrace {
  static void note(const model::Choice& /*branch*/) {}
};
struct HashTrace {
  std::uint64_t hash = 0;
  void note(const model::Choice& branch) { hash = mix(hash ^ std::bit_cast<std::uint64_t>(branch.taken)); }
};
struct ListTrace {
  std::vector<model::Choice>& list;
  void note(const model::Choice& branch) { list.push_back(branch); }
};

template <class Number>
double random(const Number* arguments, int count) {
  std::uint64_t hash = 0;
  for (int i = 0; i < count; ++i) hash = mix(hash ^ std::bit_cast<std::uint64_t>(value_of(arguments[i]) + 0.0));
  return static_cast<double>(hash >> 11) * 0x1.0p-53;
}

bool compare(Op op, double a, double b) {
  switch (op) {
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    case Op::GreaterEqual: return a >= b;
    case Op::Equal: return a == b;
    default: return a != b;
  }
}

// Functions of bodies and contacts.
double run_function(Op op, int a, int b, const EvaluationContext& context) {
  switch (op) {
    case Op::Gap: return gap(context.contacts, a, b);
    case Op::NormalForce: return normal_force(context.contacts, a, b);
    case Op::NormalForceMin: return normal_force_range(context, a, b).least;
    case Op::NormalForceMax: return normal_force_range(context, a, b).most;
    case Op::FrictionForce: return friction_force(context.contacts, a, b);
    case Op::ForceX: return contact_force(context.contacts, a, b).x();
    case Op::ForceY: return contact_force(context.contacts, a, b).y();
    case Op::ForceZ: return contact_force(context.contacts, a, b).z();
    case Op::SlipSpeed: return slip_speed(context.contacts, a, b);
    case Op::ContactX: return centre_of_pressure(context.contacts, a, b).x();
    case Op::ContactY: return centre_of_pressure(context.contacts, a, b).y();
    case Op::ContactZ: return centre_of_pressure(context.contacts, a, b).z();
    case Op::Touching: return touching(context.contacts, a, b) ? 1 : 0;
    case Op::Sticking: return touching(context.contacts, a, b) && !sliding(context.contacts, a, b) ? 1 : 0;
    case Op::Sliding: return sliding(context.contacts, a, b) ? 1 : 0;
    case Op::LocalX: return local_position(*context.state, a, b).x();
    case Op::LocalY: return local_position(*context.state, a, b).y();
    case Op::LocalZ: return local_position(*context.state, a, b).z();
    case Op::LocalYaw: return local_yaw(*context.state, a, b);
    case Op::Distance: {
      const auto& bodies = context.state->bodies;
      return (bodies[static_cast<std::size_t>(a)].pose.position - bodies[static_cast<std::size_t>(b)].pose.position)
          .norm();
    }
    case Op::KineticEnergy: return kinetic_energy(*context.model, *context.state, a);
    case Op::PotentialEnergy: return potential_energy(*context.model, *context.state, a);
    case Op::WorstPenetration: return worst_penetration(*context.overlaps, *context.state);
    default: return count_touching(context.contacts);
  }
}

}  // namespace

template <class Number, class Trace>
Number Expression::run(const EvaluationContext& context, [[maybe_unused]] Trace& trace) const {
  // Raw storage: the stack need not be cleared before each evaluation.
  alignas(Number) std::byte storage[(kStackSize + 1) * sizeof(Number)];
  Number* top = reinterpret_cast<Number*>(storage);  // below the first value
  const auto as_number = [](double x) { return constant<Number>(x); };
  const std::span<const FunctionInfo> all_functions = functions();
  const Instruction* const begin = code_.data();
  const Instruction* const end = begin + code_.size();
  for (const Instruction* next = begin; next != end;) {
    const Instruction& in = *next++;
    switch (in.op) {
      case Op::Constant: *++top = as_number(in.value); break;
      case Op::Time:
        if constexpr (std::is_same_v<Number, double>)
          *++top = context.time;
        else
          *++top = Number{context.time, 1, 0};
        break;
      case Op::BodyVariable: {
        const model::BodyState& body = context.state->bodies[static_cast<std::size_t>(in.a)];
        *++top = as_number(body_component(body, static_cast<BodyComponent>(in.component), in.b != 0));
        break;
      }
      case Op::Tracker: *++top = as_number(context.trackers[static_cast<std::size_t>(in.a)].value); break;
      case Op::Column: *++top = as_number(context.columns[static_cast<std::size_t>(in.a)]); break;

      case Op::Negate: *top = -*top; break;
      case Op::Not:
        trace.note({.taken = value_of(*top) == 0 ? 1.0 : 0.0, .at = value_of(*top)});
        *top = as_number(value_of(*top) == 0 ? 1 : 0);
        break;
      case Op::Add:
        --top;
        top[0] = top[0] + top[1];
        break;
      case Op::Subtract:
        --top;
        top[0] = top[0] - top[1];
        break;
      case Op::Multiply:
        --top;
        top[0] = top[0] * top[1];
        break;
      case Op::Divide:
        --top;
        top[0] = top[0] / top[1];
        break;
      case Op::Power:
        --top;
        top[0] = jet_pow(top[0], top[1]);
        break;
      case Op::Less:
      case Op::LessEqual:
      case Op::Greater:
      case Op::GreaterEqual:
      case Op::Equal:
      case Op::NotEqual: {
        --top;
        const double a = value_of(top[0]), b = value_of(top[1]);
        top[0] = as_number(compare(in.op, a, b) ? 1 : 0);
        trace.note({.taken = value_of(*top), .at = a - b});
        break;
      }
      case Op::Truth:
        trace.note({.taken = value_of(*top) != 0 ? 1.0 : 0.0, .at = value_of(*top)});
        *top = as_number(value_of(*top) != 0 ? 1 : 0);
        break;
      case Op::Jump: next = begin + in.a; break;
      case Op::JumpIfFalse:
        trace.note({.taken = value_of(*top) != 0 ? 1.0 : 0.0, .at = value_of(*top)});
        if (value_of(*top--) == 0) next = begin + in.a;
        break;
      case Op::JumpIfFalseKeep:
      case Op::JumpIfTrueKeep: {
        const bool truth = value_of(*top) != 0;
        trace.note({.taken = truth ? 1.0 : 0.0, .at = value_of(*top)});
        if (truth == (in.op == Op::JumpIfTrueKeep)) {
          *top = as_number(truth ? 1 : 0);
          next = begin + in.a;
        } else {
          --top;
        }
        break;
      }

      case Op::Sin: *top = jet_sin(*top); break;
      case Op::Cos: *top = jet_cos(*top); break;
      case Op::Sqrt: *top = jet_sqrt(*top); break;
      case Op::Exp: *top = jet_exp(*top); break;
      case Op::Log: *top = jet_log(*top); break;
      case Op::Smooth: {
        const SmoothValue f = all_functions[static_cast<std::size_t>(in.a)].smooth(value_of(*top));
        if constexpr (std::is_same_v<Number, double>)
          *top = f.value;
        else
          *top = chain(*top, f.value, f.first, f.second);
        break;
      }
      case Op::Pure: {
        const PureFunction& function = pure_function(in.a);
        top -= function.arguments - 1;
        model::Choice branch;
        if constexpr (std::is_same_v<Number, double>)
          *top = function.value(top, branch);
        else
          *top = function.jet(top, branch);
        if (function.branches) trace.note(branch);
        break;
      }
      case Op::Min:
      case Op::Max: {
        --top;
        const bool second =
            in.op == Op::Min ? value_of(top[1]) < value_of(top[0]) : value_of(top[1]) > value_of(top[0]);
        trace.note({.taken = second ? 1.0 : 0.0, .at = value_of(top[1]) - value_of(top[0])});
        if (second || std::isnan(value_of(top[1]))) top[0] = top[1];
        break;
      }
      case Op::Random: {
        top -= in.a - 1;
        top[0] = as_number(random(top, in.a));
        break;
      }
      default: *++top = as_number(run_function(in.op, in.a, in.b, context)); break;
    }
  }
  return *top;
}

double Expression::evaluate(const EvaluationContext& context) const {
  NoTrace trace;
  return run<double>(context, trace);
}

double Expression::evaluate(double t) const {
  EvaluationContext context;
  context.time = t;
  return evaluate(context);
}

TimeJet Expression::evaluate_jet(double t) const {
  EvaluationContext context;
  context.time = t;
  NoTrace trace;
  return run<TimeJet>(context, trace);
}

std::uint64_t Expression::branch_signature(double t) const {
  EvaluationContext context;
  context.time = t;
  HashTrace trace;
  (void)run<double>(context, trace);
  return trace.hash;
}

void Expression::choices(const EvaluationContext& context, std::vector<model::Choice>& list) const {
  ListTrace trace{list};
  (void)run<double>(context, trace);
}

}  // namespace stickslip::expression
