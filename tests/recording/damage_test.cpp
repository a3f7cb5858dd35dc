// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Damaged recordings. Whatever happens to a file, a reader gets the values that were written or a RecordingError, and
// soon: a hang or a crash ends the child process in which files are read, and the test says at which bit.
#include "tests/recording/recorded_frames.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <random>

namespace stickslip::recording {
namespace {

using ::testing::HasSubstr;

class DamagedRecording : public RecordingTest {
 protected:
  void record(int frames, bool close) {
    auto recorder = std::make_unique<Recorder>(path_, info());
    for (int k = 0; k < frames; ++k) append_frame(*recorder, k);
    recorder->append(ModeChange{0.25, 0, 1, contact::Mode::Stick, contact::Mode::Slide});
    if (close) {
      recorder->close("finished");
    } else {
      recorder->flush();
      original_ = bytes();  // as a process that is killed now leaves it
    }
    if (close) original_ = bytes();
  }

  // As a run that was killed: everything flushed, nothing closed.
  void record_killed(int frames) {
    record(frames, false);
    put(original_);
  }

  [[nodiscard]] std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  void put(const std::string& content) const { std::ofstream(path_, std::ios::binary | std::ios::trunc) << content; }

  struct Outcome {
    int refused = 0, same = 0;
    std::string wrong;  // what was read was neither
  };

  // Reads `count` damaged copies in a child process, each within two seconds of the processor.
  Outcome read_damaged(int count, const std::function<std::string(int)>& damaged) {
    put(original_);
    const std::string expected = everything_in(Recording(path_));
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      std::string report;
      for (int k = 0; k < count; ++k) {
        put(damaged(k));
        constexpr itimerval kLimit{{0, 0}, {2, 0}};
        ::setitimer(ITIMER_PROF, &kLimit, nullptr);  // its signal ends the child
        char result = 'w';
        try {
          result = everything_in(Recording(path_)) == expected ? 's' : 'w';
        } catch (const RecordingError&) {
          result = 'r';
        }
        if (::write(ends[1], &result, 1) != 1) ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    Outcome outcome;
    int read = 0;
    for (char result = 0; ::read(ends[0], &result, 1) == 1; ++read) {
      if (result == 's') ++outcome.same;
      if (result == 'r') ++outcome.refused;
      if (result == 'w' && outcome.wrong.empty()) outcome.wrong = fmt::format("false values from copy {}", read);
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (read < count)
      outcome.wrong =
          fmt::format("copy {} ended the reader by signal {}", read, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return outcome;
  }

  void flip_bits(int count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> bits(static_cast<std::size_t>(count));
    for (std::size_t& bit : bits) bit = random() % (8 * original_.size());
    const Outcome outcome = read_damaged(count, [&](int k) {
      std::string copy = original_;
      const std::size_t bit = bits[static_cast<std::size_t>(k)];
      copy[bit / 8] = static_cast<char>(copy[bit / 8] ^ (1 << (bit % 8)));
      return copy;
    });
    EXPECT_EQ(outcome.wrong, "");
    EXPECT_EQ(outcome.refused + outcome.same, count);
    std::printf("%d flipped bits of %zu: %d refused, %d without effect\n", count, 8 * original_.size(), outcome.refused,
                outcome.same);
    last_ = outcome;
  }

  std::string original_;
  Outcome last_;
};

TEST_F(DamagedRecording, EveryFlippedBitOfAClosedRecordingIsRefused) {
  record(700, true);
  flip_bits(200, 1);
  EXPECT_EQ(last_.same, 0) << "all of a closed file is under its checksum";
}

TEST_F(DamagedRecording, AFlippedBitOfAKilledRecordingIsRefusedOrHarmless) {
  record_killed(700);
  flip_bits(200, 2);
}

TEST_F(DamagedRecording, ManyFlippedBitsSlow) {
  record(300, true);
  flip_bits(3000, 3);
  record_killed(300);
  flip_bits(6000, 4);
}

// The first kilobyte of HDF5's part is what sent readers into endless waiting.
TEST_F(DamagedRecording, EveryBitOfTheSuperblockOfAKilledRecordingSlow) {
  record_killed(50);
  std::string wrong;
  const Outcome outcome = read_damaged(8 * 1536, [&](int k) {
    std::string copy = original_;
    copy[static_cast<std::size_t>(k / 8)] = static_cast<char>(copy[static_cast<std::size_t>(k / 8)] ^ (1 << (k % 8)));
    return copy;
  });
  EXPECT_EQ(outcome.wrong, "");
}

TEST_F(DamagedRecording, CutShortItIsRefused) {
  for (const bool closed : {true, false}) {
    if (closed)
      record(300, true);
    else
      record_killed(300);
    std::mt19937_64 random(5);
    const Outcome outcome =
        read_damaged(60, [&](int k) { return original_.substr(0, k < 20 ? 40 * k : random() % original_.size()); });
    EXPECT_EQ(outcome.wrong, "");
    EXPECT_TRUE(outcome.refused == 60 || !closed) << outcome.refused << " of 60 refused";
  }
}

// A hole in the file (a disk that was full, a copy that was broken off) reads as zeros.
TEST_F(DamagedRecording, BlocksOfZerosAreNeverReadAsFrames) {
  for (const bool closed : {true, false}) {
    if (closed)
      record(700, true);
    else
      record_killed(700);
    std::mt19937_64 random(7);
    const Outcome outcome = read_damaged(60, [&](int k) {
      std::string copy = original_;
      const std::size_t block = k < 10 ? static_cast<std::size_t>(k) : random() % (original_.size() / 512);
      copy.replace(512 * block, 512, 512, '\0');
      return copy;
    });
    EXPECT_EQ(outcome.wrong, "");
  }
}

TEST_F(DamagedRecording, AnOlderRecordingIsRefusedInAWord) {
  std::string older(1000, '\0');
  older.replace(0, 8, "\x89HDF\r\n\x1a\n");
  put(older);
  try {
    const Recording recording(path_);
    FAIL();
  } catch (const RecordingError& error) {
    EXPECT_THAT(error.what(), HasSubstr("older recordings have no checksums"));
  }
  record(3, true);
  std::string newer = original_;
  newer[newer.find('2')] = '7';
  put(newer);
  try {
    const Recording recording(path_);
    FAIL();
  } catch (const RecordingError& error) {
    EXPECT_THAT(error.what(), HasSubstr("format 7"));
  }
}

// A limit on the size of files stands for a full disk: the write that crosses it fails.
TEST_F(DamagedRecording, WhatWasCompleteBeforeTheDiskWasFullIsReadAndNothingElse) {
  std::size_t read = 0;
  for (const rlim_t limit : {60000, 200000, 333333, 1000000}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit bytes{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &bytes);
      try {
        Recorder recorder(path_, info());
        for (int k = 0; k < 100000; ++k) {
          append_frame(recorder, k);
          if (k % 100 == 99) recorder.flush();
        }
        recorder.close("finished");
      } catch (const RecordingError&) {
        ::_exit(17);
      }
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 17) << "the writer must hear of it";
    std::size_t frames = 0;
    try {
      const Recording recording(path_);
      frames = recording.frames();
      EXPECT_EQ(recording.end(), "");
      for (std::size_t k = 0; k < frames; ++k) {
        ASSERT_EQ(recording.time()[k], 0.5 * static_cast<double>(k));
        ASSERT_EQ(recording.state(k).bodies[0].pose.position.x(), static_cast<double>(k));
        ASSERT_EQ(recording.observable(0, k), 3.0 * static_cast<double>(k));
        ASSERT_EQ(recording.contacts(k).size(), k % 3);
      }
    } catch (const RecordingError& error) {
      std::printf("limit %llu: refused: %s\n", static_cast<unsigned long long>(limit), error.what());
      continue;
    }
    std::printf("limit %llu: %zu frames\n", static_cast<unsigned long long>(limit), frames);
    read += frames;
  }
  EXPECT_GT(read, 0U) << "nothing was saved";
}

TEST_F(DamagedRecording, TwoWritersOfOneRecordingTheSecondIsRefused) {
  Recorder recorder(path_, info());
  append_frame(recorder, 0);
  try {
    Recorder second(path_, info());
    FAIL() << "two writers";
  } catch (const RecordingError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another process is writing"));
  }
  append_frame(recorder, 1);
  recorder.close("finished");
  EXPECT_EQ(Recording(path_).frames(), 2U);
}

TEST_F(DamagedRecording, GoingOnWithTheRecordingOfAnotherRunIsRefused) {
  record(10, true);
  RecordingInfo other = info();
  other.scene = "title = \"another\"\n";
  EXPECT_THROW(Recorder(path_, other, 2.0), RecordingError);
  EXPECT_EQ(Recording(path_).frames(), 10U) << "it was left as it was";
}

TEST_F(DamagedRecording, APlanIsAttachedUnderTheChecksum) {
  record(10, true);
  attach_plan(path_, "{}");
  EXPECT_EQ(Recording(path_).info().plan, "{}");
  original_ = bytes();
  flip_bits(50, 6);
  EXPECT_EQ(last_.same, 0);
}

}  // namespace
}  // namespace stickslip::recording
