// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Every mistake in a scene gets one line with file, line, column, what is wrong and, where it can be known, what was
// meant.
#include "stickslip/scene/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stickslip::scene {
namespace {

// A valid scene of one body, with places to spoil.
std::string scene_with(const std::string& top, const std::string& body, const std::string& rest = "") {
  return "dimension = 2\nduration = 1\n" + top + "\n[[body]]\nname = \"stick\"\n" + body + "\n" + rest;
}
const std::string kGoodBody = "mass = 1\nshape = { box = [1, 0.1] }";

struct BadScene {
  const char* name;
  std::string text;
  int line, column;
  const char* message;
  const char* hint = "";
};
void PrintTo(const BadScene& bad, std::ostream* out) {
  *out << bad.name;
}

class Validation : public testing::TestWithParam<BadScene> {};

TEST_P(Validation, SaysWhereAndWhat) {
  const BadScene& bad = GetParam();
  try {
    (void)parse_scene(bad.text, "test.toml");
    FAIL() << "accepted";
  } catch (const SceneError& error) {
    EXPECT_EQ(error.place().file, "test.toml");
    EXPECT_EQ(error.place().line, bad.line) << error.what();
    EXPECT_EQ(error.place().column, bad.column) << error.what();
    EXPECT_THAT(error.message(), testing::HasSubstr(bad.message));
    EXPECT_THAT(error.hint(), testing::HasSubstr(bad.hint));
    EXPECT_THAT(std::string(error.what()), testing::Not(testing::HasSubstr("\n"))) << "one line";
  }
}

std::vector<BadScene> bad_scenes() {
  const auto body = [](const std::string& text) { return scene_with("", text); };
  const auto good = [](const std::string& top, const std::string& rest = "") {
    return scene_with(top, kGoodBody, rest);
  };
  return {
      {"SyntaxError", "dimension = = 2", 1, 13, ""},
      {"NotAscii", "dimension = 2\nduratiön = 3", 2, 7, "ASCII"},
      {"MissingDimension", "duration = 1\n[[body]]\nname = \"a\"", 0, 0, "needs 'dimension'"},
      {"MissingDuration", "dimension = 2\n[[body]]\nname = \"a\"", 0, 0, "needs 'duration'"},
      {"NoBodies", "dimension = 2\nduration = 1", 0, 0, "needs 'body'"},
      {"UnknownTopKey", good("gravty = [0, -1]"), 3, 1, "unknown key 'gravty'", "'gravity'"},
      {"UnknownBodyKey", body("mass = 1\nshap = { box = [1, 1] }"), 7, 1, "unknown key 'shap' in a body", "'shape'"},
      {"UnknownMethodKey", good("", "[method]\nsteps = 1"), 9, 1, "unknown key 'steps'", "'step'"},
      {"WrongType", good("gravity = 9.81"), 3, 11, "'gravity' of the scene must be a list of 2 numbers"},
      {"WrongLength", good("gravity = [0, 0, -9.81]"), 3, 11, "not 3 of them"},
      {"TextForNumber", body("mass = [1]\nshape = { box = [1, 1] }"), 6, 8,
       "must be a number or an expression, not a list"},
      {"BooleanForNumber", body("mass = true\nshape = { box = [1, 1] }"), 6, 8, "must be a number, not true or false"},
      {"MissingMass", body("shape = { box = [1, 1] }"), 4, 1, "can move but has no mass", "density"},
      {"NegativeMass", body("mass = -1\nshape = { box = [1, 1] }"), 6, 8, "must be positive, not -1"},
      {"ZeroMass", body("mass = 0\nshape = { box = [1, 1] }"), 6, 8, "must be positive, not 0"},
      {"MassAndDensity", body("mass = 1\ndensity = 1\nshape = { box = [1, 1] }"), 7, 11, "both 'mass' and 'density'"},
      {"DensityOfPoints", body("density = 1\nshape = { points = [[0, 0], [1, 0]] }"), 6, 11, "no solid shape"},
      {"MissingInertia", body("mass = 1\nshape = { points = [[0, 0], [1, 0]] }"), 4, 1, "can turn but has no inertia"},
      {"NanMass", body("mass = \"0/0\"\nshape = { box = [1, 1] }"), 6, 8, "not a number"},
      {"SelfCrossing", body("mass = 1\nshape = { polygon = [[0, 0], [1, 1], [1, 0], [0, 1]] }"), 7, 21, "cross"},
      {"HoleOutside",
       body("mass = 1\nshape = { polygon = { outer = [[0, 0], [1, 0], [0, 1]], holes = [[[2, 2], [3, 2], [2, 3]]] } }"),
       7, 21, "hole 0 does not lie within the outer boundary"},
      {"HoleInAHole",
       body("mass = 1\nshape = { polygon = { outer = [[0, 0], [9, 0], [0, 9]], holes = [[[1, 1], [4, 1], [1, 4]], "
            "[[1.2, "
            "1.2], [2, 1.2], [1.2, 2]]] } }"),
       7, 21, "hole 1 lies within hole 0"},
      {"InertiaOfNoBody",
       "dimension = 3\nduration = 1\n[[body]]\nname = \"m\"\nmass = 1\ninertia = [1, 1, 2.1]\nshape = { sphere = 1 }",
       6, 11, "no body has these moments: the largest, 2.1,"},
      {"TwoShapes", body("mass = 1\nshape = { disc = 1, box = [1, 1] }"), 7, 9, "both 'disc' and 'box'"},
      {"NoShape", body("mass = 1\nshape = { offset = [1, 1] }"), 7, 9, "names no shape"},
      {"SphereInThePlane", body("mass = 1\nshape = { sphere = 1 }"), 7, 20, "belongs to dimension 3"},
      {"NegativeRadius", body("mass = 1\nshape = { disc = -1 }"), 7, 18, "must be positive"},
      {"ZeroSize", body("mass = 1\nshape = { box = [1, 0] }"), 7, 17, "must be positive"},
      {"MissingMesh",
       "dimension = 3\nduration = 1\n[[body]]\nname = \"m\"\nmass = 1\nshape = { mesh = \"nowhere.obj\" }", 6, 18,
       "nowhere.obj"},
      {"ZeroStep", good("", "[method]\nstep = 0"), 9, 8, "must be positive"},
      {"UnknownStepper", good("", "[method]\nstepper = \"stewart-trinkel\""), 9, 11, "unknown name",
       "'stewart-trinkle'"},
      {"UnknownSolver", good("", "[method]\nsolver = \"magic\""), 9, 10, "unknown name 'magic'"},
      {"OddDirections", good("", "[method]\ndirections = 7"), 9, 14, "even"},
      {"NegativeDuration", "dimension = 2\nduration = -1\n[[body]]\nname = \"a\"\nfixed = true", 2, 12,
       "must be positive"},
      {"UnknownNameInExpression", body("mass = \"2 * muu\"\nshape = { box = [1, 1] }"), 6, 13, "unknown name 'muu'"},
      {"UnknownBodyInObservable", good("", "[observe]\nx = \"1 + stik.x\""), 9, 10, "unknown body 'stik'", "'stick'"},
      {"UnknownBodyInContact",
       good("", "[[contact]]\nbetween = [\"stick\", \"flor\"]\n[[body]]\nname = \"floor\"\nfixed = true"), 9, 21,
       "no body is called 'flor'", "'floor'"},
      {"NegativeFriction", good("", "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = -0.1"), 10, 12,
       "must not be negative"},
      {"KineticAboveStatic",
       good("", "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = { static = 0.1, kinetic = 0.2 }"), 10, 12,
       "must not be above static"},
      {"UnknownImpactLaw", good("", "[[contact]]\nbetween = [\"*\", \"*\"]\nimpact = \"newtno\""), 10, 10,
       "unknown name 'newtno'", "'newton'"},
      {"UnknownArrangement",
       body("mass = 1\nshape = { box = [1, 1] }\ncount = 2\npacking = { kind = \"lattice\", low = [0, 0], high = [9, "
            "9], "
            "distance = 2 }"),
       9, 20, "unknown name 'lattice'", "known are grid, random"},
      {"RestitutionAboveOne", good("", "[[contact]]\nbetween = [\"*\", \"*\"]\nrestitution = 1.5"), 10, 15,
       "must not be above 1"},
      {"NanInMotion", body("motion = { position = [\"sqrt(0.5 - t)\", 0] }"), 6, 24, "not a number (nan) at t = 0.5"},
      {"StateInMotion", body("motion = { position = [\"stick.x\", 0] }"), 6, 25, "cannot be used here"},
      {"MotionTwice", body("motion = { position = [0, 0], velocity = [1, \"free\"] }"), 6, 43, "a second time"},
      {"SymmetricRamp", body("motion = { acceleration = [1, 0], symmetric = true }"), 6, 28, "sum of sines"},
      {"VelocityUnderMotion", body("velocity = [1, 0]\nmotion = { velocity = [2, 0] }"), 6, 12, "has no effect"},
      {"AngleUnderMotion", body("angle = 1\nmotion = { angle = \"t\" }"), 6, 9, "has no effect"},
      {"PositionUnderMotion", body("position = [1, 0]\nmotion = { position = [\"t\", 0] }"), 6, 12, "has no effect"},
      {"FixedWithVelocity", body("fixed = true\nvelocity = [1, 0]"), 4, 1, "fixed and cannot have a velocity"},
      {"FixedWithMotion", body("fixed = true\nmotion = { velocity = [1, 0] }"), 7, 10, "cannot have a motion"},
      {"UnknownLock", body(kGoodBody + "\nlocked = [\"rx\"]"), 8, 11, "unknown degree of freedom 'rx'"},
      {"LockedTwice", body(kGoodBody + "\nlocked = [\"x\", \"x\"]"), 8, 16, "prescribed already"},
      {"TwoBodiesOfOneName", good("", "[[body]]\nname = \"stick\"\nfixed = true"), 9, 8, "two bodies called 'stick'"},
      {"BadBodyName", "dimension = 2\nduration = 1\n[[body]]\nname = \"my stick\"\nfixed = true", 4, 8,
       "cannot be the name"},
      {"BadParameterName", good("[parameters]\nt = 1"), 4, 1, "cannot be the name of a parameter"},
      {"ParameterLoop", good("[parameters]\na = \"b\"\nb = \"2 * a\""), 4, 5, "depends on itself"},
      {"ParameterIsNoChoice", good("[parameters]\na = { value = 3, choices = [1, 2] }"), 4, 15, "none of its choices"},
      {"ParameterOutOfRange", good("[parameters]\na = { value = 3, max = 2 }"), 4, 15, "lies outside"},
      {"DatesHaveNoMeaning", good("title = 2020-01-01"), 3, 9, "dates"},
      {"FrameMustComeBefore", body(kGoodBody + "\nframe = \"plate\"\n[[body]]\nname = \"plate\"\nfixed = true"), 8, 9,
       "no earlier body"},
      {"CountNotAnInteger", body(kGoodBody + "\ncount = 2.5"), 8, 9, "must be an integer"},
      {"CountTooLarge", body(kGoodBody + "\ncount = 1000000"), 8, 9, "must be an integer from 0"},
      {"StopIsText", good("stop = 3"), 3, 8, "must be text"},
      {"ObservableNeedsHistoryElsewhere", body("mass = \"initial(1)\"\nshape = { box = [1, 1] }"), 6, 9,
       "cannot be used here"},
      {"AngleOfAParticle", body("mass = 1\nshape = \"particle\"\nangle = 1"), 8, 9, "does not turn"},
      {"IncludeMissing", "include = [\"nowhere.toml\"]", 1, 12, "cannot read"},
  };
}

INSTANTIATE_TEST_SUITE_P(All, Validation, testing::ValuesIn(bad_scenes()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Validation, TheGoodSceneIsGood) {
  EXPECT_NO_THROW((void)parse_scene(scene_with("", kGoodBody), "test.toml"));
}

TEST(Validation, MessagesStayOneLineWhateverTheNames) {
  try {
    (void)parse_scene("dimension = 2\nduration = 1\n\"a\\nb\\u0007\" = 1\n", "test.toml");
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("unknown key 'a\\nb\\x07'"));
  }
}

TEST(Validation, OverridesMustNameAParameter) {
  const std::string text = scene_with("[parameters]\nspeed = 1", kGoodBody);
  const std::vector<Override> wrong = {{"sped", "2"}};
  try {
    (void)parse_scene(text, "test.toml", wrong);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_STREQ(error.what(), "--set sped=2: the scene has no parameter 'sped' (did you mean 'speed'?)");
  }
  EXPECT_THROW((void)parse_override_argument("speed"), SceneError);
  EXPECT_EQ(parse_override_argument("speed=2*pi").value, "2*pi");
}

TEST(Validation, OverridesRespectTheRange) {
  const std::string text = scene_with("[parameters]\nspeed = { value = 1, min = 0 }", kGoodBody);
  const std::vector<Override> low = {{"speed", "-1"}}, nonsense = {{"speed", "1 +"}};
  EXPECT_THROW((void)parse_scene(text, "test.toml", low), SceneError);
  EXPECT_THROW((void)parse_scene(text, "test.toml", nonsense), SceneError);
}

class Includes : public testing::Test {
 protected:
  Includes()
      : folder_(std::filesystem::path(testing::TempDir()) / ("stickslip_includes_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Includes() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(Includes, TheIncludingFileOverrides) {
  write("base.toml",
        "dimension = 2\nduration = 1\n[parameters]\na = 1\nb = 2\n[method]\nstep = 0.5\n"
        "[[body]]\nname = \"stick\"\nmass = \"a\"\nshape = { disc = 1 }\n[[body]]\nname = \"floor\"\nfixed = true\n");
  const auto file = write("scene.toml",
                          "include = [\"base.toml\"]\nduration = 3\n[parameters]\nb = 5\n[method]\ncertificate = 1e-7\n"
                          "[[body]]\nname = \"stick\"\nmass = \"b\"\n[[body]]\nname = \"other\"\nfixed = true\n");
  const Scene scene = load_scene(file);
  EXPECT_EQ(scene.duration, 3);
  EXPECT_EQ(scene.method.step, 0.5);
  EXPECT_EQ(scene.method.certificate, 1e-7);
  ASSERT_EQ(scene.model.bodies.size(), 3U);
  EXPECT_EQ(scene.model.bodies[0].name, "stick");
  EXPECT_EQ(scene.model.bodies[0].mass, 5);
  EXPECT_EQ(scene.model.bodies[0].shapes.size(), 1U);
  EXPECT_EQ(scene.model.bodies[2].name, "other");
  ASSERT_EQ(scene.included.size(), 1U);
  EXPECT_EQ(scene.included[0].file.filename(), "base.toml");
}

TEST_F(Includes, ErrorsNameTheIncludedFile) {
  const auto base = write("base.toml", "dimension = 2\n\nduration = -1\n");
  const auto file = write("scene.toml", "include = \"base.toml\"\n[[body]]\nname = \"a\"\nfixed = true\n");
  try {
    (void)load_scene(file);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.place().file, base.string());
    EXPECT_EQ(error.place().line, 3);
  }
}

TEST_F(Includes, CyclesAreFound) {
  write("a.toml", "include = [\"b.toml\"]\n");
  const auto file = write("b.toml", "include = [\"a.toml\"]\n");
  try {
    (void)load_scene(file);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("includes itself"));
  }
}

TEST_F(Includes, OpenMeshIsRejected) {
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  const auto file =
      write("scene.toml",
            "dimension = 3\nduration = 1\n[[body]]\nname = \"m\"\ndensity = 1\nshape = { mesh = \"open.obj\" }\n");
  try {
    (void)load_scene(file);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(error.place().line, 6);
    EXPECT_THAT(error.what(), testing::HasSubstr("mesh"));
  }
}

}  // namespace
}  // namespace stickslip::scene
