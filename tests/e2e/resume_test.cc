// SPDX-License-Identifier: Apache-2.0
// Runs that are killed, interrupted, driven twice, or stored in damaged files.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "e2e/program.h"

namespace kp::e2e {
namespace {

class Resume : public testing::Test {
 protected:
  std::string out(const std::string& name = "run") const {
    return (folder_.path() / name).string();
  }

  /// Starts a run and returns when `lines` lines of progress were written.
  pid_t start(const std::vector<std::string>& arguments, int lines) {
    int progress[2];
    EXPECT_EQ(pipe2(progress, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(progress[1], STDERR_FILENO);
      const int output =
          open((folder_.path() / "output").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
      dup2(output, STDOUT_FILENO);
      const std::string cache = std::string(KP_BINARY_DIR) + "/e2e-cache";
      setenv("KERNELPRO_CACHE", cache.c_str(), 1);
      std::vector<char*> argv;
      std::string program = path_of_program();
      argv.push_back(program.data());
      auto copy = arguments;
      for (std::string& argument : copy) argv.push_back(argument.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(progress[1]);
    char byte;
    while (lines > 0 && read(progress[0], &byte, 1) == 1) lines -= byte == '\n';
    // The reader must stay, or the child's next line would kill it before we do.
    reader_ = progress[0];
    return child;
  }

  int wait_for(pid_t child) {
    char drain[4096];
    while (read(reader_, drain, sizeof drain) > 0) {
    }
    close(reader_);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  std::vector<std::string> softmax(const std::string& name) const {
    return {"optimize", shipped("softmax"), "--budget", "5", "--out", out(name)};
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  int reader_ = -1;
};

nlohmann::json tree_of(const std::string& run_folder) {
  return run({"show", run_folder, "--json"}).json().at("nodes");
}

TEST_F(Resume, comes_to_the_same_tree_after_kill_at_several_moments) {
  ASSERT_EQ(run(softmax("whole")).code, 0);
  for (const int lines : {1, 3}) {
    const std::string name = "killed" + std::to_string(lines);
    const pid_t child = start(softmax(name), lines);
    kill(child, SIGKILL);
    wait_for(child);
    if (!std::filesystem::exists(out(name) + "/run.db")) continue;  // killed before there was a run
    const auto resumed = run({"resume", out(name), "--json"});
    ASSERT_EQ(resumed.code, 0) << resumed.errors;
    EXPECT_EQ(tree_of(out(name)), tree_of(out("whole"))) << lines;
  }
}

TEST_F(Resume, goes_on_after_control_c_which_keeps_the_best_so_far) {
  const pid_t child = start(softmax("run"), 2);
  kill(child, SIGINT);
  const int status = wait_for(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE(std::filesystem::exists(out() + "/best.cu"));
  const auto resumed = run({"resume", out(), "--json"});
  ASSERT_EQ(resumed.code, 0) << resumed.errors;
  EXPECT_NE(resumed.json().at("stopped_because"), "interrupted");
}

TEST_F(Resume, can_start_after_control_c_in_the_first_evaluation) {
  const pid_t child = start(softmax("run"), 1);
  kill(child, SIGINT);
  const int status = wait_for(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  if (!std::filesystem::exists(out() + "/run.db")) GTEST_SKIP() << "stopped before there was a run";
  const auto resumed = run({"resume", out(), "--json"});
  ASSERT_EQ(resumed.code, 0) << resumed.errors;
  EXPECT_GT(resumed.json().at("evaluations").get<int>(), 1);
}

TEST_F(Resume, spends_a_larger_budget_when_it_is_given_one) {
  ASSERT_EQ(run({"optimize", shipped("softmax"), "--budget", "2", "--out", out()}).code, 0);
  const auto resumed = run({"resume", out(), "--budget", "4", "--json"});
  ASSERT_EQ(resumed.code, 0) << resumed.errors;
  EXPECT_GT(resumed.json().at("evaluations").get<int>(), 2);
}

TEST_F(Resume, is_refused_while_somebody_drives_the_run) {
  ASSERT_EQ(run({"optimize", shipped("swish"), "--out", out()}).code, 0);
  const int lock = open((out() + "/run.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  for (const auto& command :
       {std::vector<std::string>{"resume", out()},
        std::vector<std::string>{"optimize", shipped("swish"), "--out", out()}}) {
    const auto outcome = run(command);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.errors.find("is being driven by process"), std::string::npos)
        << outcome.errors;
  }
  close(lock);
}

TEST_F(Resume, refuses_a_second_run_in_the_same_folder) {
  ASSERT_EQ(run({"optimize", shipped("swish"), "--out", out()}).code, 0);
  const auto again = run({"optimize", shipped("swish"), "--out", out()});
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.errors.find("holds a run already"), std::string::npos);
}

TEST_F(Resume, refuses_a_damaged_store) {
  std::filesystem::create_directories(out());
  std::ofstream(out() + "/run.db") << std::string(5000, 'x');
  for (const char* command : {"resume", "show", "explain"}) {
    const auto outcome = run({command, out()});
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_NE(outcome.errors.find("run.db"), std::string::npos) << outcome.errors;
  }
}

TEST_F(Resume, refuses_a_task_that_changed_since) {
  const auto task = folder_.path() / "task";
  std::filesystem::copy(shipped("swish"), task, std::filesystem::copy_options::recursive);
  ASSERT_EQ(run({"optimize", task.string(), "--out", out()}).code, 0);
  std::ofstream(task / "baseline.cu", std::ios::app) << "// changed\n";
  const auto resumed = run({"resume", out()});
  EXPECT_EQ(resumed.code, 1);
  EXPECT_NE(resumed.errors.find("not the one that the run was started with"), std::string::npos);
}

}  // namespace
}  // namespace kp::e2e
