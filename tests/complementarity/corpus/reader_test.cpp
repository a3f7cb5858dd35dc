// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The reader of problem files: what it accepts, and every way in which a file can be wrong. A refusal must be one line
// that names the file and says what is wrong in the words of the format.
#include "stickslip/complementarity/corpus/reader.h"

#include "stickslip/complementarity/corpus/gzip.h"
#include "tests/problem_files.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace stickslip::complementarity {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kLcp =
    R"({"name":"two","kind":"lcp","n":2,"M":{"rows":2,"cols":2,"i":[0,1,1],"j":[0,0,1],"x":[2,1,3.5]},"q":[-5,-6e0]})";
const std::string kBox =
    R"({"kind":"boxlcp","n":2,"M":{"rows":2,"cols":2,"i":[0,1],"j":[0,1],"x":[1,1]},"q":[1,2],"lb":[-1,-1e20],"ub":[1,1e20]})";
const std::string kContact =
    R"({"kind":"fc3d","nc":1,"W":{"rows":3,"cols":3,"i":[0,1,2],"j":[0,1,2],"x":[1,1,1]},"q":[-1,2,0],"mu":[0.5]})";
const std::string kGlobal = R"({"kind":"gfc2d","nc":1,"ndof":2,"M":{"rows":2,"cols":2,"i":[0,1],"j":[0,1],"x":[1,1]},)"
                            R"("H":{"rows":2,"cols":2,"i":[0,1],"j":[0,1],"x":[1,1]},"f":[-1,0],"w":[0,0],"mu":[0.5]})";
const std::string kMixed =
    R"({"kind":"mlcp","n":1,"m":1,"A":{"rows":2,"cols":1,"i":[0],"j":[0],"x":[1]},"B":{"rows":1,"cols":1,"i":[],"j":[],)"
    R"("x":[]},"C":{"rows":2,"cols":1,"i":[],"j":[],"x":[]},"D":{"rows":1,"cols":1,"i":[],"j":[],"x":[]},)"
    R"("a":[1,2],"b":[3]})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " does not occur in " << text;
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

// The message of the refusal, or "" when the bytes were accepted.
std::string refusal(const std::string& bytes, const ReadLimits& limits = {}) {
  try {
    (void)read_corpus_bytes(bytes, "some.json", limits);
  } catch (const CorpusError& error) {
    return error.what();
  }
  return "";
}

auto one_line_saying(const std::string& text) {
  return AllOf(StartsWith("some.json: "), Not(HasSubstr("\n")), HasSubstr(text));
}

TEST(CorpusReader, ReadsAnLcp) {
  const CorpusProblem problem = read_corpus_bytes(kLcp, "some.json");
  EXPECT_EQ(problem.name, "two");
  EXPECT_EQ(problem.kind, CorpusKind::Lcp);
  EXPECT_EQ(problem.size(), 2);
  const auto& lcp = std::get<AffineProblem>(problem.data);
  const Eigen::MatrixXd M = lcp.is_dense ? lcp.dense : Eigen::MatrixXd(lcp.sparse);
  EXPECT_EQ(M, (Eigen::Matrix2d() << 2, 0, 1, 3.5).finished());
  EXPECT_EQ(lcp.q, Eigen::Vector2d(-5, -6));
  EXPECT_EQ(lcp.lower, Eigen::Vector2d(0, 0));
  EXPECT_EQ(lcp.upper, Eigen::Vector2d(kInfinity, kInfinity));
}

TEST(CorpusReader, HugeBoundsMeanNoBound) {
  const auto problem = std::get<AffineProblem>(read_corpus_bytes(kBox, "some.json").data);
  EXPECT_EQ(problem.lower, Eigen::Vector2d(-1, -kInfinity));
  EXPECT_EQ(problem.upper, Eigen::Vector2d(1, kInfinity));
}

TEST(CorpusReader, MixedProblemsMayHaveMoreEquationsThanFreeUnknowns) {
  const CorpusProblem problem = read_corpus_bytes(kMixed, "some.json");
  EXPECT_EQ(problem.size(), 2);  // one free, one non-negative
  EXPECT_EQ(std::get<MixedLcp>(problem.data).A.rows(), 2);
}

TEST(CorpusReader, ContactsKeepTheirOrderNormalFirst) {
  const auto problem = std::get<ContactProblem>(read_corpus_bytes(kContact, "some.json").data);
  EXPECT_EQ(problem.contacts(), 1);
  EXPECT_EQ(problem.dimension(), 3);
  EXPECT_EQ(problem.q, (std::vector<double>{-1, 2, 0}));
  EXPECT_EQ(problem.mu, (std::vector<double>{0.5}));
}

TEST(CorpusReader, KeysAndEntriesMayComeInAnyOrderAndUnknownKeysAreSkipped) {
  const std::string text =
      R"({"extra":{"q":[{"deep":[1,null,true,"x"]}]},"q":[-1,0],"M":{"x":[1,2],"future":[[]],"j":[1,0],"i":[1,0],)"
      R"("cols":2,"rows":2},"n":2,"known_solution":null,"kind":"lcp"})";
  const auto problem = std::get<AffineProblem>(read_corpus_bytes(text, "some.json").data);
  const Eigen::MatrixXd M = problem.is_dense ? problem.dense : Eigen::MatrixXd(problem.sparse);
  EXPECT_EQ(M, (Eigen::Matrix2d() << 2, 0, 0, 1).finished());
}

TEST(CorpusReader, GzipIsRecognisedByContent) {
  EXPECT_EQ(read_corpus_bytes(gzip_compress(kLcp), "no-suffix").name, "two");
  const auto half = kLcp.size() / 2;
  const std::string two_streams = gzip_compress(kLcp.substr(0, half)) + gzip_compress(kLcp.substr(half));
  EXPECT_EQ(read_corpus_bytes(two_streams, "x").name, "two");
}

struct BadFile {
  const char* title;
  std::string bytes;
  const char* message;
};
void PrintTo(const BadFile& file, std::ostream* out) {
  *out << file.title;
}

std::vector<BadFile> bad_files() {
  const std::string gzip = gzip_compress(kLcp);
  std::string flipped = gzip;
  flipped[gzip.size() - 6] ^= 0x55;  // in the checksum
  return {
      {"Empty", "", "is empty"},
      {"Truncated", kLcp.substr(0, kLcp.size() - 9), "line 1, column"},
      {"NotJson", "hello", "line 1, column 1: syntax error"},
      {"TrailingText", kLcp + " x", "column"},
      {"TwoObjects", kLcp + kLcp, "column"},
      {"ArrayAtTop", "[1,2]", "the file must hold one JSON object"},
      {"NumberAtTop", "7", "the file must hold one JSON object"},
      {"TextAtTop", "\"lcp\"", "the file must hold one JSON object"},
      {"SecondLine", "{\n  \"kind\": \"lcp\",\n  \"n\": oops}", "line 3, column 8: syntax error"},
      {"NotUtf8", "{\"name\":\"\xff\xfe\"}", "ill-formed UTF-8 byte"},
      {"TruncatedGzip", gzip.substr(0, gzip.size() - 12), "ends early (truncated file)"},
      {"GzipHeaderOnly", gzip.substr(0, 5), "ends early (truncated file)"},
      {"DamagedGzip", flipped, "the gzip stream is damaged"},
      {"GzipThenRubbish", gzip + "rubbish", "the gzip stream is damaged"},
      {"NoKind", replaced(kLcp, "\"kind\":\"lcp\",", ""), "\"kind\" is missing"},
      {"UnknownKind", replaced(kLcp, "\"lcp\"", "\"lpc\""), "kind \"lpc\" is unknown; known are lcp, boxlcp"},
      {"KindIsNumber", replaced(kLcp, "\"lcp\"", "3"), "\"kind\" must be a text"},
      {"NoSize", replaced(kLcp, "\"n\":2,", ""), "\"n\" is missing"},
      {"NoVector", replaced(kLcp, ",\"q\":[-5,-6e0]", ""), "\"q\" is missing"},
      {"NoMatrix", replaced(kLcp, "\"M\"", "\"N\""), "\"M\" is missing"},
      {"NoColumns", replaced(kLcp, "\"j\":[0,0,1],", ""), "\"j\" of \"M\" is missing"},
      {"NoRowCount", replaced(kLcp, "\"rows\":2,", ""), "\"rows\" of \"M\" is missing"},
      {"VectorIsText", replaced(kLcp, "[-5,-6e0]", "\"zero\""), "column 105: \"q\" must be an array of numbers"},
      {"TextInVector", replaced(kLcp, "-6e0", "\"-6\""), "\"q\" must be an array of numbers"},
      {"NullInVector", replaced(kLcp, "-6e0", "null"), "\"q\" must be an array of numbers"},
      {"BooleanInVector", replaced(kLcp, "-6e0", "true"), "\"q\" must be an array of numbers"},
      {"VectorInVector", replaced(kLcp, "-6e0", "[1]"), "\"q\" must be an array of numbers"},
      {"ObjectInVector", replaced(kLcp, "-6e0", "{}"), "\"q\" must be an array of numbers"},
      {"MatrixIsVector", replaced(kLcp, "\"M\":{", "\"q\":[],\"M\":[],\"z\":{"), "\"M\" must be a matrix"},
      {"SizeIsText", replaced(kLcp, "\"n\":2", "\"n\":\"2\""), "\"n\" must be a non-negative integer"},
      {"SizeIsFraction", replaced(kLcp, "\"n\":2", "\"n\":2.5"), "\"n\" must be a non-negative integer"},
      {"SizeIsNegative", replaced(kLcp, "\"n\":2", "\"n\":-2"), "\"n\" must be a non-negative integer"},
      {"IndexIsFraction", replaced(kLcp, "[0,1,1]", "[0,0.5,1]"), "\"i\" of \"M\" must be an array of non-negative"},
      {"IndexIsNegative", replaced(kLcp, "[0,1,1]", "[0,-1,1]"), "\"i\" of \"M\" must be an array of non-negative"},
      {"KeyTwice", replaced(kLcp, "\"n\":2", "\"n\":2,\"n\":2"), "\"n\" is given twice"},
      {"MatrixKeyTwice", replaced(kLcp, "\"rows\":2", "\"rows\":2,\"rows\":2"), "\"rows\" of \"M\" is given twice"},
      {"SizeDisagrees", replaced(kLcp, "\"n\":2", "\"n\":3"), "\"q\" has 2 numbers, but 3 are needed (n)"},
      {"MatrixNotSquare", replaced(kLcp, "\"rows\":2", "\"rows\":3"), "\"M\" is declared 3 x 2, but must be 2 x 2"},
      {"ListsDisagree", replaced(kLcp, "[0,1,1]", "[0,1]"), "\"M\" has 2 row indices, 3 column indices and 3 values"},
      {"RowOutOfRange", replaced(kLcp, "[0,1,1]", "[0,2,1]"), "entry 1 has row 2, but there are 2 rows"},
      {"ColumnOutOfRange", replaced(kLcp, "[0,0,1]", "[0,0,9]"), "entry 2 has column 9, but there are 2 columns"},
      {"EntryTwice", replaced(kLcp, "[0,0,1]", "[0,0,0]"), "\"M\" gives entry (1, 0) twice"},
      {"NaN", replaced(kLcp, "-6e0", "NaN"), "column"},
      {"Infinity", replaced(kLcp, "-6e0", "Infinity"), "column"},
      {"MinusInfinity", replaced(kLcp, "-6e0", "-Infinity"), "column"},
      {"NumberOverflows", replaced(kLcp, "-6e0", "-6e999"), "number overflow parsing '-6e999'"},
      {"MatrixOverflows", replaced(kLcp, "3.5", "1e400"), "number overflow parsing '1e400'"},
      {"NegativeFriction", replaced(kContact, "0.5", "-0.5"), "contact 0: mu = -0.5 is negative"},
      {"FrictionMissing", replaced(kContact, ",\"mu\":[0.5]", ""), "\"mu\" is missing"},
      {"FrictionTooLong", replaced(kContact, "[0.5]", "[0.5,0.5]"), "\"mu\" has 2 numbers, but 1 are needed (nc)"},
      {"ContactVectorShort", replaced(kContact, "[-1,2,0]", "[-1,2]"), "\"q\" has 2 numbers, but 3 are needed"},
      {"WrongDimension", replaced(kContact, "fc3d", "fc2d"), "\"q\" has 3 numbers, but 2 are needed"},
      {"UnknownContactKind", replaced(kContact, "\"mu\"", "\"contact_kind\":[3],\"mu\""), "\"contact_kind\" holds 3"},
      {"SupportWithoutLoad", replaced(kContact, "\"mu\"", "\"contact_kind\":[1],\"mu\""),
       "supports need a given normal impulse"},
      {"NegativeLoad", replaced(kContact, "\"mu\"", "\"contact_kind\":[1],\"normal_impulse\":[-1],\"mu\""),
       "normal_impulse = -1 is negative"},
      {"ComplianceInLocalForm", replaced(kContact, "\"mu\"", "\"compliance\":[1],\"mu\""),
       "belongs to gfc2d and gfc3d"},
      {"ComplianceShort", replaced(kGlobal, "\"mu\"", "\"compliance\":[1,2],\"mu\""),
       "\"compliance\" has 2 numbers, but 4 are needed"},
      {"FreedomsDisagree", replaced(kGlobal, "\"ndof\":2", "\"ndof\":4"),
       "\"f\" has 2 numbers, but 4 are needed (ndof)"},
      {"BoundsCrossed", replaced(kBox, "\"lb\":[-1", "\"lb\":[2"), "bound 0: lb = 2 lies above ub = 1"},
      {"LowerBoundIsPlusInfinity", replaced(kBox, "\"lb\":[-1,-1e20],\"ub\":[1", "\"lb\":[1e20,-1e20],\"ub\":[1e21"),
       "means an infinite lower bound"},
      {"AbsurdSize", replaced(kLcp, "\"n\":2", "\"n\":2000000000"), "but 2000000000 are needed"},
      {"SizeBeyondInt", replaced(kLcp, "\"n\":2", "\"n\":4000000000"), "\"n\": 4000000000 is too large"},
      {"SizeBeyond64Bits", replaced(kLcp, "\"n\":2", "\"n\":99999999999999999999999"), "\"n\" must be a non-negative"},
      {"AbsurdContacts", replaced(kContact, "\"nc\":1", "\"nc\":2000000000"), "\"mu\" has 1 numbers"},
      {"AbsurdMatrix", replaced(kLcp, "\"rows\":2,\"cols\":2", "\"rows\":2000000000,\"cols\":2000000000"),
       "is declared"},
      {"AbsurdFreeUnknowns",
       replaced(replaced(replaced(kMixed, "\"n\":1", "\"n\":2000000000"), "\"cols\":1,\"i\":[0]",
                         "\"cols\":2000000000,\"i\":[0]"),
                "\"D\":{\"rows\":1,\"cols\":1", "\"D\":{\"rows\":1,\"cols\":2000000000"),
       "\"n\" declares 2000000000 free unknowns, but the file holds data for at most"},
      {"DeepNesting", "{\"x\":" + std::string(200000, '[') + std::string(200000, ']') + "}", "\"kind\" is missing"},
      {"DeepNestingOpen", "{\"x\":" + std::string(200000, '['), "column"},
      {"LongUnknownKind", replaced(kLcp, "\"lcp\"", "\"" + std::string(100000, 'a') + "\""), "is unknown"},
      {"NewlineInKind", replaced(kLcp, "\"lcp\"", "\"l\\ncp\""), "is unknown"},
  };
}

class BadCorpusFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadCorpusFile, IsRefusedInOneLine) {
  const std::string message = refusal(GetParam().bytes);
  EXPECT_THAT(message, one_line_saying(GetParam().message));
  EXPECT_LT(message.size(), 300U);
}

INSTANTIATE_TEST_SUITE_P(CorpusReader, BadCorpusFile, ::testing::ValuesIn(bad_files()),
                         [](const auto& test) { return test.param.title; });

TEST(CorpusReader, GzipBombIsRefusedBeforeItFillsTheMemory) {
  // 64 MiB of blanks compress to some 64 kB; the cap here is 1 MiB.
  const std::string bomb = gzip_compress(std::string(std::size_t{64} << 20, ' '));
  EXPECT_LT(bomb.size(), std::size_t{200} << 10);
  EXPECT_THAT(refusal(bomb, {.max_bytes = std::size_t{1} << 20}),
              one_line_saying("the gzip stream expands to more than 1048576 bytes"));
}

TEST(CorpusReader, PlainFilesAreCappedToo) {
  EXPECT_THAT(refusal(kLcp, {.max_bytes = 20}), one_line_saying("is larger than 20 bytes"));
}

TEST(CorpusReader, FilesThatCannotBeReadAreNamed) {
  const auto message_of = [](const std::string& file) -> std::string {
    try {
      (void)read_corpus_file(file);
    } catch (const CorpusError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of("/nonexistent/file.json"),
            "/nonexistent/file.json: cannot be opened: No such file or directory");
  EXPECT_EQ(message_of("/"), "/: is a folder, not a file");
  EXPECT_THAT(message_of("/nonexistent/a\nb"), Not(HasSubstr("\n")));
}

// Every prefix and every single-byte change of a good file is either read or refused in one line; nothing crashes.
TEST(CorpusReader, SurvivesEveryTruncationAndEveryChangedByte) {
  for (const std::string& good : {kLcp, kBox, kContact, kGlobal, kMixed, gzip_compress(kContact)}) {
    for (std::size_t length = 0; length < good.size(); ++length)
      EXPECT_THAT(refusal(good.substr(0, length)), one_line_saying("")) << "cut to " << length << " of " << good;
    for (std::size_t at = 0; at < good.size(); ++at)
      for (const char byte : {'\0', ' ', '"', '9', '-', ']', '}', '\x80'}) {
        std::string changed = good;
        changed[at] = byte;
        EXPECT_THAT(refusal(changed), Not(HasSubstr("\n")));
      }
  }
}

TEST(CorpusReader, ReadsEverySeedOfTheFuzzer) {
  int count = 0;
  const auto folder = std::filesystem::path(tests::kSourceFolder) / "tests" / "fuzz" / "seeds" / "corpus";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++count;
    EXPECT_NO_THROW((void)read_corpus_file(entry.path())) << entry.path();
  }
  EXPECT_GE(count, 11);
}

TEST(CorpusReader, ReadsTheSharedProblems) {
  const auto files = tests::problem_files();
  if (files.empty()) GTEST_SKIP() << "no problem files at " << tests::problems_folder();
  for (const auto& file : files) EXPECT_NO_THROW((void)read_corpus_file(file)) << file;
}

}  // namespace
}  // namespace stickslip::complementarity
