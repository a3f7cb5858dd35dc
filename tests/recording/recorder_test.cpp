// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/recorder.h"

#include "stickslip/recording/superblock.h"

#include "tests/recording/recorded_frames.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace stickslip::recording {
namespace {

class RecorderTest : public RecordingTest {};

TEST_F(RecorderTest, FramesReadBackToTheSameBits) {
  {
    Recorder recorder(path_, info());
    for (int k = 0; k < 1500; ++k) append_frame(recorder, k);
    recorder.append(ModeChange{0.25, 0, 1, contact::Mode::Stick, contact::Mode::Slide});
    recorder.close();
  }
  const Recording recording(path_);
  ASSERT_EQ(recording.frames(), 1500U);
  EXPECT_EQ(recording.info().scene, info().scene);
  EXPECT_EQ(recording.info().bodies, info().bodies);
  const model::State state = recording.state(1234);
  EXPECT_EQ(state.time, 617.0);
  EXPECT_EQ(state.bodies[0].pose.position, Vec3(1234, 2468, 1.0 / 1235));
  EXPECT_EQ(state.bodies[1].angle, 7.0 * 1234);
  EXPECT_EQ(recording.contacts(1234).size(), 1234U % 3);
  EXPECT_EQ(recording.contacts(1499).size(), 1499U % 3);
  EXPECT_EQ(recording.contacts(1499)[1].contact.id.feature_b, 1499);
  EXPECT_EQ(recording.observable("x")[10], 30.0);
  ASSERT_EQ(recording.events().size(), 1U);
  EXPECT_EQ(recording.events()[0].to, contact::Mode::Slide);
}

TEST_F(RecorderTest, ResumingDropsLaterFramesAndGoesOn) {
  {
    Recorder recorder(path_, info());
    for (int k = 0; k < 700; ++k) append_frame(recorder, k);
    recorder.close();
  }
  {
    Recorder recorder(path_, info(), 0.5 * 600);  // frames 0 .. 600 stay
    for (int k = 601; k < 650; ++k) append_frame(recorder, k);
    recorder.close();
  }
  const Recording recording(path_);
  ASSERT_EQ(recording.frames(), 650U);
  for (std::size_t k = 0; k < 650; ++k) {
    ASSERT_EQ(recording.time()[k], 0.5 * static_cast<double>(k));
    ASSERT_EQ(recording.contacts(k).size(), k % 3) << "frame " << k;
  }
}

TEST_F(RecorderTest, TheEndOfTheRunIsReadBackAndResumingTakesItAway) {
  {
    Recorder recorder(path_, info());
    for (int k = 0; k < 10; ++k) append_frame(recorder, k);
    recorder.flush();
    EXPECT_EQ(Recording(path_).end(), "") << "it still runs";
    recorder.close("finished");
  }
  EXPECT_EQ(Recording(path_).end(), "finished");
  EXPECT_FALSE(Recording(path_).failed());
  {
    Recorder recorder(path_, info(), 0.5 * 5);
    append_frame(recorder, 6);
    recorder.flush();
    EXPECT_EQ(Recording(path_).end(), "") << "it runs again";
  }
  EXPECT_EQ(Recording(path_).end(), "") << "nobody said how it ended";
  const std::string failure = "failed at t = 3.5: " + std::string(600, 'x') + " \u03bc";  // longer than one chunk
  {
    Recorder recorder(path_, info(), 0.5 * 6);
    append_frame(recorder, 7);
    recorder.close(failure);
  }
  const Recording recording(path_);
  EXPECT_EQ(recording.end(), failure);
  EXPECT_TRUE(recording.failed());
  EXPECT_EQ(recording.frames(), 8U);
}

// The child is killed without any chance to clean up; what it had flushed must read back.
TEST_F(RecorderTest, AKilledRunLeavesAReadableFile) {
  for (const int delay_ms : {20, 77, 150, 310}) {
    // The child tells when its first hundred frames are safe: a busy machine may let it wait.
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Recorder recorder(path_, info());
      for (int k = 0;; ++k) {
        append_frame(recorder, k % 1000000);
        if (k % 100 == 99) recorder.flush();
        if (k == 99 && ::write(ready[1], "x", 1) != 1) ::_exit(1);
      }
    }
    char byte = 0;
    ::close(ready[1]);
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::usleep(static_cast<useconds_t>(1000 * delay_ms));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const Recording recording(path_);
    EXPECT_EQ(recording.end(), "");
    for (std::size_t k = 0; k < recording.frames(); ++k) {
      ASSERT_EQ(recording.time()[k], 0.5 * static_cast<double>(k));
      ASSERT_EQ(recording.state(k).bodies[0].pose.position.x(), static_cast<double>(k));
    }
    EXPECT_GE(recording.frames(), 100U) << "killed after " << delay_ms << " ms";
    std::filesystem::remove(path_);
  }
}

TEST_F(RecorderTest, CsvNumbersReadBackExactly) {
  {
    Recorder recorder(path_, info());
    append_frame(recorder, 2);
    recorder.close();
  }
  std::ostringstream csv;
  export_csv(Recording(path_), csv);
  const std::string text = csv.str();
  EXPECT_EQ(text.substr(0, 21), "time,part.x,part.y,pa");
  EXPECT_NE(text.find("0.3333333333333333,"), std::string::npos);
}

TEST_F(RecorderTest, UnwritablePathIsAClearError) {
  try {
    Recorder recorder("/nonexistent-folder/run.h5", info());
    FAIL() << "no error for a folder that does not exist";
  } catch (const RecordingError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent-folder/run.h5"), std::string::npos);
  }
}

TEST_F(RecorderTest, OtherFilesAreRefused) {
  std::ofstream(path_) << "not HDF5";
  EXPECT_THROW(Recording{path_}, RecordingError);
}

// Check value computed by hand from the published algorithm: the hash of no bytes is its start value.
TEST(Lookup3, HashOfNothingIsTheStartValue) {
  EXPECT_EQ(lookup3(nullptr, 0), 0xdeadbeefU);
}

}  // namespace
}  // namespace stickslip::recording
