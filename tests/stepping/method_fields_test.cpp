// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The declaration of the method's fields: complete, consistent with the defaults, and the judge of single values.
#include "stickslip/stepping/method_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace stickslip::stepping {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A structured binding names every member: a new one does not compile here until it is declared and counted.
TEST(MethodFields, EveryMemberIsDeclaredOnce) {
  Method method;
  auto& [motion, stepper, friction, directions, pyramid_angle, impacts, compliance, step, gap_step, gamma, tolerance,
         solver, certificate, certificate_at_worst, collider, audit, error_bars, rest, threads] = method;
  const std::set<const void*> members = {
      &motion,   &stepper,  &friction,   &directions, &pyramid_angle, &impacts,     &compliance,
      &step,     &gap_step, &gamma,      &tolerance,  &solver,        &certificate, &certificate_at_worst,
      &collider, &audit,    &error_bars, &rest,       &threads};
  std::set<const void*> visited;
  std::set<std::string_view> names;
  int count = 0;
  visit_fields(method, [&](const FieldInfo& info, auto& field) {
    visited.insert(&field);
    names.insert(info.name);
    EXPECT_FALSE(info.meaning.empty()) << info.name;
    ++count;
  });
  EXPECT_EQ(visited, members);
  EXPECT_EQ(names.size(), members.size());
  EXPECT_EQ(count, static_cast<int>(members.size()));
}

TEST(MethodFields, DefaultsAreWithinTheirRanges) {
  EXPECT_EQ(objection_to(Method{}), "");
}

TEST(MethodFields, ChoicesAreReadByTheNamesThatTheyAreWrittenWith) {
  visit_fields(Method{}, [](const FieldInfo& info, const auto& value) {
    using Field = std::remove_cvref_t<decltype(value)>;
    if constexpr (FieldChoice<Field>) {
      for (const std::string& name : field_names(info, value)) {
        Field choice{};
        EXPECT_TRUE(set_by_name(name, choice)) << name;
        EXPECT_EQ(field_text(choice), name);
      }
      Field choice{};
      EXPECT_FALSE(set_by_name("no such choice", choice)) << info.name;
    }
  });
}

TEST(MethodFields, NumbersAreWrittenWithAllTheirDigits) {
  for (const double x : {0.1, 1e-9, 1.0 / 3, 1e300, std::nextafter(1e-3, 1.0)})
    EXPECT_EQ(std::stod(field_text(x)), x) << field_text(x);
}

std::string objection_after(void (*change)(Method&)) {
  Method method;
  change(method);
  return objection_to(method);
}

TEST(MethodFields, ValuesOutOfRangeAreNamed) {
  EXPECT_EQ(objection_after([](Method& m) { m.step = 0; }), "method.step must be positive, not 0");
  EXPECT_THAT(objection_after([](Method& m) { m.step = kNaN; }), HasSubstr("method.step must be finite"));
  EXPECT_EQ(objection_after([](Method& m) { m.gamma = -1; }), "method.gamma must not be negative, but is -1");
  EXPECT_THAT(objection_after([](Method& m) { m.certificate = -1; }), HasSubstr("method.certificate"));
  EXPECT_THAT(objection_after([](Method& m) { m.directions = 7; }), HasSubstr("method.directions must be even"));
  EXPECT_THAT(objection_after([](Method& m) { m.directions = 2; }), HasSubstr("from 4 to 1024"));
  EXPECT_THAT(objection_after([](Method& m) { m.threads = 0; }), HasSubstr("method.threads"));
  EXPECT_THAT(objection_after([](Method& m) { m.stepper = "euler"; }), HasSubstr("method.stepper"));
  EXPECT_THAT(objection_after([](Method& m) { m.solver = ""; }), HasSubstr("method.solver"));
  EXPECT_THAT(objection_after([](Method& m) { m.collider = "magic"; }), HasSubstr("\"magic\""));
  EXPECT_THAT(objection_after([](Method& m) { m.impacts = static_cast<ImpactSearch>(9); }),
              HasSubstr("method.impacts"));
}

TEST(MethodFields, TheSummarySaysWhatIsNotAsUsual) {
  Method method;
  EXPECT_EQ(summary_of(method), "dynamic, auto, cone, step 0.001, solver auto, certificate 1e-09");
  method.friction = FrictionLaw::Pyramid;
  method.impacts = ImpactSearch::BackUp;
  method.threads = 2;
  EXPECT_EQ(summary_of(method),
            "dynamic, auto, pyramid with 8 directions, step 0.001, solver auto, certificate 1e-09, impacts "
            "back-up, threads 2");
}

}  // namespace
}  // namespace stickslip::stepping
