// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Observables along a run that is made up by hand: a disc that moves as we say, on contacts that we invent.
#include "stickslip/runs/observer.h"

#include "stickslip/expression/run_quantities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace stickslip::runs {
namespace {

using contact::ContactResult;
using contact::Mode;
using std::numbers::pi;

scene::Scene make_scene(const std::string& observables, const std::string& top = "") {
  return scene::parse_scene(
      "dimension = 2\nduration = 10\ngravity = [0, -10]\n" + top +
          "\n[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
          "[[body]]\nname = \"ball\"\nmass = 2\ninertia = 3\nshape = { disc = 1 }\n[observe]\n" +
          observables,
      "test.toml");
}

ContactResult contact_between(int a, int b, Mode mode, double normal_force, double friction, double slip,
                              double gap = 0) {
  ContactResult result;
  result.contact.id.body_a = a;
  result.contact.id.body_b = b;
  result.contact.normal = Vec3(0, -1, 0);
  result.contact.gap = gap;
  result.mode = mode;
  result.force = Vec3(friction, -normal_force, 0);
  result.relative_velocity = Vec3(slip, 0, 0);
  return result;
}

struct MadeUpRun {
  explicit MadeUpRun(const scene::Scene& of)
      : scene(of), observer(of), state(model::initial_state(of.model)), values(of.observables.size()) {}

  void at(double t, double x, std::span<const ContactResult> contacts = {},
          std::span<const stepping::Event> events = {}) {
    state.time = t;
    state.bodies[1].pose.position.x() = x;
    observer.advance({state, contacts, events});
    observer.evaluate({state, contacts, events}, values);
  }

  const scene::Scene& scene;
  Observer observer;
  model::State state;
  std::vector<double> values;
};

TEST(Observables, ReadTheState) {
  const scene::Scene scene = make_scene(
      "a = \"ball.x + 10 * ball.vy\"\nb = \"kinetic_energy()\"\nc = \"potential_energy(ball)\"\nd = \"ball.angle\"\n"
      "f = \"local_x(ball, floor)\"\ng = \"t\"\nh = \"distance(ball, floor)\"");
  MadeUpRun run(scene);
  run.state.bodies[1].velocity.linear = Vec3(1, 2, 0);
  run.state.bodies[1].velocity.angular = Vec3(0, 0, 4);
  run.state.bodies[1].pose.position.y() = 4;
  run.state.bodies[1].angle = 9;
  run.at(0.5, 3);
  EXPECT_THAT(run.values, testing::ElementsAre(23, 0.5 * 2 * 5 + 0.5 * 3 * 16, 2 * 10 * 4, 9, 3, 0.5, 5));
}

TEST(Observables, ReadTheContacts) {
  const scene::Scene scene = make_scene(
      "n = \"normal_force(ball, floor)\"\nf = \"friction_force(floor, ball)\"\ns = \"slip_speed(ball, floor)\"\n"
      "t1 = \"touching(ball)\"\ng = \"gap(ball, floor)\"\nw = \"worst_penetration()\"\nc = \"contacts()\"\n"
      "k = \"sticking(ball, floor)\"\nl = \"sliding(ball, floor)\"");
  MadeUpRun run(scene);
  const std::vector<ContactResult> contacts = {contact_between(0, 1, Mode::Slide, 5, 3, -2, -0.1),
                                               contact_between(0, 1, Mode::Stick, 4, 1, 0, 0.2),
                                               contact_between(0, 1, Mode::Open, 0, 0, 9, 0.3)};
  run.at(0, 0, contacts);
  // The penetration is that of the bodies where they stand (the ball's centre lies in the floor), not of the contacts.
  EXPECT_THAT(run.values, testing::ElementsAre(9, 4, 2, 1, -0.1, 1, 2, 0, 1));
  run.at(0, 0, {});
  EXPECT_THAT(run.values, testing::ElementsAre(0, 0, 0, 0, std::numeric_limits<double>::infinity(), 1, 0, 0, 0));
}

// The force is that on the body named first: turned over with the names. Alone, it is of all that touch the body.
TEST(Observables, ForcesByComponents) {
  const scene::Scene scene = make_scene(
      "bx = \"force_x(ball, floor)\"\nby = \"force_y(ball, floor)\"\nbz = \"force_z(ball, floor)\"\n"
      "fx = \"force_x(floor, ball)\"\nfy = \"force_y(floor, ball)\"\nay = \"force_y(ball)\"");
  MadeUpRun run(scene);
  const std::vector<ContactResult> contacts = {contact_between(0, 1, Mode::Slide, 5, 3, -2, -0.1),
                                               contact_between(0, 1, Mode::Stick, 4, 1, 0, 0.2)};
  run.at(0, 0, contacts);  // forces on the floor: (3, -5) and (1, -4)
  EXPECT_THAT(run.values, testing::ElementsAre(-4, 9, 0, 4, -9, 9));
  run.at(0, 0, {});
  EXPECT_THAT(run.values, testing::Each(0));
}

TEST(Observables, ContactPointIsTheCentreOfPressure) {
  const scene::Scene scene = make_scene("x = \"contact_x(ball, floor)\"\ny = \"contact_y(ball, floor)\"");
  MadeUpRun run(scene);
  std::vector<ContactResult> contacts = {contact_between(0, 1, Mode::Stick, 6, 0, 0, 0),
                                         contact_between(0, 1, Mode::Slide, 2, 1, 1, 0),
                                         contact_between(0, 1, Mode::Open, 0, 0, 0, 0.3)};
  contacts[0].contact.point_a = contacts[0].contact.point_b = Vec3(-1, 0, 0);
  contacts[1].contact.point_a = contacts[1].contact.point_b = Vec3(3, 4, 0);
  contacts[2].contact.point_a = contacts[2].contact.point_b = Vec3(100, 100, 0);
  run.at(0, 0, contacts);
  EXPECT_THAT(run.values, testing::ElementsAre(0, 1));  // (-1 * 6 + 3 * 2) / 8, 4 * 2 / 8
  run.at(0, 0, {});
  EXPECT_THAT(run.values, testing::Each(std::numeric_limits<double>::infinity()));
}

TEST(Observables, RememberTheRun) {
  const scene::Scene scene = make_scene(
      "low = \"min_over_time(ball.x)\"\nhigh = \"max_over_time(abs(ball.x))\"\nmean = "
      "\"mean_over_time(ball.x)\"\nfirst = \"initial(ball.x)\"");
  MadeUpRun run(scene);
  run.at(0, 1);
  run.at(1, 3);
  run.at(3, -5);
  EXPECT_DOUBLE_EQ(run.values[0], -5);
  EXPECT_DOUBLE_EQ(run.values[1], 5);
  EXPECT_DOUBLE_EQ(run.values[2], (2 * 1 + -1 * 2) / 3.0);
  EXPECT_DOUBLE_EQ(run.values[3], 1);
}

TEST(Observables, UnwrapFollowsManyTurns) {
  const scene::Scene scene = make_scene("turn = \"unwrap(atan2(sin(ball.x), cos(ball.x)))\"");
  MadeUpRun run(scene);
  for (int i = 0; i <= 100; ++i) run.at(i, 0.5 - 0.7 * i);
  EXPECT_NEAR(run.values[0], 0.5 - 70, 1e-12);
}

TEST(Observables, FirstTimeInterpolatesComparisons) {
  const scene::Scene scene = make_scene(
      "a = \"first_time(ball.x > 2)\"\nb = \"first_time(ball.x <= -1)\"\nc = \"first_time(ball.x > 2 && t > 0)\"\nd = "
      "\"first_time(ball.x >= 0)\"");
  MadeUpRun run(scene);
  run.at(0, 0);
  EXPECT_TRUE(std::isnan(run.values[0]));
  run.at(1, 1);
  EXPECT_TRUE(std::isnan(run.values[0]));
  run.at(2, 5);
  EXPECT_DOUBLE_EQ(run.values[0], 1.25);
  EXPECT_DOUBLE_EQ(run.values[2], 2) << "no comparison: the end of the step";
  EXPECT_DOUBLE_EQ(run.values[3], 0) << "holds from the start";
  run.at(3, 0);
  EXPECT_DOUBLE_EQ(run.values[0], 1.25) << "only the first time counts";
}

TEST(Observables, FirstTimeTakesTheTimeOfTheEvent) {
  const scene::Scene scene = make_scene("a = \"first_time(sticking(ball, floor))\"");
  MadeUpRun run(scene);
  run.at(0, 0);
  run.at(1, 0, std::vector<ContactResult>{contact_between(0, 1, Mode::Slide, 1, 1, 1)});
  stepping::Event event;
  event.time = 1.4375;
  event.contact.body_a = 0;
  event.contact.body_b = 1;
  run.at(2, 0, std::vector<ContactResult>{contact_between(0, 1, Mode::Roll, 1, 1, 0)}, std::span(&event, 1));
  EXPECT_DOUBLE_EQ(run.values[0], 1.4375);
}

// A contact that closes and then sticks, all in one step: each condition has its own instant.
TEST(Observables, FirstTimeOfSeveralEventsInAStep) {
  const scene::Scene scene =
      make_scene("a = \"first_time(touching(ball, floor))\"\nb = \"first_time(sticking(ball, floor))\"");
  MadeUpRun run(scene);
  run.at(0, 0);
  run.at(1, 0, std::vector<ContactResult>{contact_between(0, 1, Mode::Open, 0, 0, 0)});
  const ContactResult closed = contact_between(0, 1, Mode::Stick, 1, 1, 0);
  const std::vector<stepping::Event> events{{1.25, closed.contact.id, Mode::Open, Mode::Slide},
                                            {1.5, closed.contact.id, Mode::Slide, Mode::Stick}};
  run.at(2, 0, std::vector<ContactResult>{closed}, events);
  EXPECT_DOUBLE_EQ(run.values[0], 1.25);
  EXPECT_DOUBLE_EQ(run.values[1], 1.5);
}

TEST(Observables, RatesAndMeansOverPeriods) {
  const scene::Scene scene = make_scene("v = \"rate_over_period(ball.x, 0.5)\"\nm = \"mean_over_period(ball.x, 0.5)\"");
  MadeUpRun run(scene);
  // x = 3 t + sin(4 pi t): the wave has the period and drops out of the rate. Steps that do not divide the period.
  const auto x = [](double t) { return 3 * t + std::sin(4 * pi * t); };
  const double h = 1.0 / 1024;
  for (int i = 0; i <= 1100; ++i) run.at(i * h, x(i * h));
  EXPECT_NEAR(run.values[0], 3, 1e-12);
  // Of the second period; the trapezoidal rule of a wave over its period is exact, of a line too.
  EXPECT_NEAR(run.values[1], 3 * 0.75, 1e-12);
  MadeUpRun coarse(scene);
  for (int i = 0; i <= 40; ++i) coarse.at(i * 0.03, 2 * i * 0.03);
  EXPECT_NEAR(coarse.values[0], 2, 1e-12) << "ends of periods inside a step are interpolated";
}

TEST(Observables, SumsOfValuesAtIntervals) {
  const scene::Scene scene = make_scene("s = \"sum_every(ball.x, 0.25)\"");
  MadeUpRun run(scene);
  // x = t, at 0.25, 0.5 and 0.75; steps that do not divide the interval.
  for (int i = 0; i <= 9; ++i) run.at(i * 0.1, i * 0.1);
  EXPECT_NEAR(run.values[0], 1.5, 1e-14);
  MadeUpRun exact(scene);
  for (int i = 0; i <= 10; ++i) exact.at(i * 0.05, 1);
  EXPECT_EQ(exact.values[0], 2) << "the start does not count, the end of a step does";
}

TEST(Observables, StopConditionsAreFound) {
  const scene::Scene scene = make_scene("x = \"ball.x\"", "stop = [\"ball.x > 5\", \"ball.x < -1\"]");
  MadeUpRun run(scene);
  run.at(0, 0);
  EXPECT_EQ(run.observer.stopped_by(), -1);
  run.at(1, -2);
  EXPECT_EQ(run.observer.stopped_by(), 1);
}

TEST(Observables, MayUseEarlierOnesByName) {
  const scene::Scene scene =
      make_scene("x = \"ball.x\"\ndouble_x = \"2 * x\"\nmost = \"max_over_time(double_x)\"", "stop = \"most > 7\"");
  MadeUpRun run(scene);
  run.at(0, 3);
  run.at(1, 1);
  EXPECT_THAT(run.values, testing::ElementsAre(1, 2, 6));
  EXPECT_EQ(run.observer.stopped_by(), -1);
  run.at(2, 4);
  EXPECT_EQ(run.observer.stopped_by(), 0);
  EXPECT_THROW((void)make_scene("a = \"b\"\nb = \"ball.x\""), scene::SceneError) << "only earlier ones";
  std::string doubling = "a0 = \"ball.x\"\n";
  for (int i = 1; i < 40; ++i) doubling += fmt::format("a{} = \"a{} + a{}\"\n", i, i - 1, i - 1);
  EXPECT_THROW((void)make_scene(doubling), scene::SceneError) << "growth without bounds";
}

TEST(Observables, NotANumberIsReportedWithNameAndTime) {
  const scene::Scene scene = make_scene("root = \"sqrt(ball.x)\"");
  MadeUpRun run(scene);
  run.at(0, 1);
  try {
    run.at(0.125, -1);
    FAIL();
  } catch (const scene::SceneError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the observable 'root' is not a number (nan) at t = 0.125"));
  }
}

TEST(Observables, MemoryCanBeSavedAndRestored) {
  const scene::Scene scene = make_scene(
      "m = \"mean_over_time(ball.x)\"\nf = \"first_time(ball.x > 2)\"\nu = \"unwrap(ball.x)\"\nr = "
      "\"rate_over_period(ball.x, 0.7)\"");
  MadeUpRun whole(scene), first(scene), second(scene);
  const auto x = [](int i) { return std::sin(0.3 * i) * i; };
  for (int i = 0; i <= 20; ++i) whole.at(0.1 * i, x(i));
  for (int i = 0; i <= 10; ++i) first.at(0.1 * i, x(i));
  second.observer.restore(first.observer.memory());
  for (int i = 11; i <= 20; ++i) second.at(0.1 * i, x(i));
  EXPECT_EQ(whole.values, second.values);
}

TEST(Observables, ContactsAreOnlyNeededWhenAskedFor) {
  EXPECT_FALSE(Observer(make_scene("a = \"touching(ball)\"\nb = \"max_over_time(ball.x)\"")).advance_needs_contacts());
  EXPECT_TRUE(Observer(make_scene("a = \"first_time(touching(ball))\"")).advance_needs_contacts());
}

}  // namespace
}  // namespace stickslip::runs
