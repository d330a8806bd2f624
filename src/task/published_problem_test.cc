// SPDX-License-Identifier: Apache-2.0
// Problems in the forms in which FlashInfer-Bench and SOL-ExecBench publish theirs.
#include <gtest/gtest.h>

#include "task/problem_files.h"
#include "task/task.h"

namespace kp::task {
namespace {

namespace fs = std::filesystem;

Path problems() { return Path(KP_SOURCE_DIR) / "tests" / "problems"; }
Path gather() { return problems() / "flashinfer/definitions/gather/gather_rows.json"; }

/// A problem of ours, copied so that a test can break it.
class Copy {
 public:
  explicit Copy(const Path& from) { fs::copy(from, path(), fs::copy_options::recursive); }
  Path path() const { return folder_.path() / "p"; }
  void replace(const Path& file, std::string_view from, std::string_view to) const {
    std::string text = read_file(path() / file).value();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    ASSERT_TRUE(write_file(path() / file, text.replace(at, from.size(), to)));
  }
  /// What reading `what` says, without the folder.
  std::string error(const Path& what = {}) const {
    const auto task = read_task(what.empty() ? path() : path() / what);
    if (task) return "no error";
    std::string text = task.error().text();
    const std::string prefix = path().string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != std::string::npos;)
      text.erase(at, prefix.size());
    return text;
  }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST(FlashInferProblem, IsNamedByTheDefinitionInItsDataSet) {
  const auto task = read_task(gather());
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->name, "gather_rows");
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kHost);
  EXPECT_TRUE(task->baseline);
  ASSERT_EQ(task->workloads.size(), 3u);
  const Workload& first = task->workloads[0];
  EXPECT_EQ(first.name, "5d2c81a0");
  EXPECT_EQ(first.axes, (Bindings{{"rows", 37}, {"table_rows", 19}, {"width", 48}}));
  EXPECT_EQ(first.scalars.at("scale"), 0.5);
  const FixedInput& index = first.data.at("index");
  EXPECT_EQ(index.bytes, 37 * 4u);
  EXPECT_EQ(index.key, "index");
  EXPECT_TRUE(fs::exists(index.file));
  EXPECT_EQ(first.tolerance, (Tolerance{.rule = Tolerance::Rule::kFlashInfer}));
  EXPECT_EQ(task->workloads[2].name, "check:5d2c81a0");
}

TEST(FlashInferProblem, IsTheDataSetItselfWhenThereIsOneDefinition) {
  Copy copy(problems() / "flashinfer");
  EXPECT_EQ(copy.error(), "no error");
  fs::copy(copy.path() / "definitions/gather/gather_rows.json",
           copy.path() / "definitions/gather/other.json");
  EXPECT_EQ(copy.error(), "the data set " + copy.path().string() +
                              " has 2 definitions\nhint: name one of them: "
                              "definitions/gather/gather_rows.json, "
                              "definitions/gather/other.json");
  fs::remove_all(copy.path() / "definitions");
  fs::create_directory(copy.path() / "definitions");
  EXPECT_EQ(copy.error(), "the data set " + copy.path().string() +
                              " has no definition\nhint: definitions/OP/NAME.json is where they "
                              "belong");
}

TEST(FlashInferProblem, FindsWorkloadsThatLieElsewhereInTheDataSet) {
  Copy copy(problems() / "flashinfer");
  fs::create_directory(copy.path() / "workloads/more");
  fs::rename(copy.path() / "workloads/gather/gather_rows.jsonl",
             copy.path() / "workloads/more/gather_rows.jsonl");
  EXPECT_EQ(copy.error(), "no error");
  fs::remove(copy.path() / "workloads/more/gather_rows.jsonl");
  EXPECT_EQ(copy.error(),
            "workloads/gather/gather_rows.jsonl does not exist\nhint: a data set has the workloads "
            "of definitions/OP/NAME.json there");
}

TEST(FlashInferProblem, PassesOverWorkloadsOfOtherDefinitions) {
  Copy copy(problems() / "flashinfer");
  copy.replace("workloads/gather/gather_rows.jsonl", "\"definition\": \"gather_rows\"",
               "\"definition\": \"another\"");
  const auto task = read_task(copy.path());
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->workloads.front().name, "9b77f4ce");
}

TEST(FlashInferProblem, AllowsMixturesOfExpertsMoreAndSamplingWhatItsOwnComparisonDoes) {
  Copy copy(problems() / "flashinfer");
  copy.replace("definitions/gather/gather_rows.json", "\"op_type\": \"gather\"",
               "\"op_type\": \"moe\"");
  EXPECT_EQ(read_task(copy.path())->workloads[0].tolerance->matched, 0.95);
  copy.replace("definitions/gather/gather_rows.json", "\"op_type\": \"moe\"",
               "\"op_type\": \"sampling\"");
  EXPECT_FALSE(read_task(copy.path())->workloads[0].tolerance);
}

TEST(FlashInferProblem, HasItsReferenceInPythonWhereNoOtherStandsBesideIt) {
  Copy copy(problems() / "flashinfer");
  fs::remove(copy.path() / "definitions/gather/gather_rows.reference.cc");
  const auto task = read_task(copy.path());
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kTorch);
  EXPECT_EQ(task->workloads[1].constants.at("kp_size_table_0"), 300);
  copy.replace("definitions/gather/gather_rows.json", "\"reference\"", "\"other\"");
  EXPECT_EQ(copy.error(),
            "task `gather_rows` has no reference: definitions/gather/gather_rows.reference.cc does "
            "not exist\nhint: define kernelpro_reference there (docs/task.md has its signature), "
            "give gather_rows.baseline.cu an `oracle launch`, or the definition a `reference` in "
            "Python");
}

TEST(FlashInferProblem, SaysWhatIsWrongWithItsData) {
  const Path lines = "workloads/gather/gather_rows.jsonl";
  const Path blob = "blob/workloads/gather/gather_rows/gather_rows_5d2c81a0.safetensors";
  const std::string kWhere = ": workload 5d2c81a0, `inputs.index`: ";
  Copy wrong_key(problems() / "flashinfer");
  wrong_key.replace(lines, "\"tensor_key\": \"index\"", "\"tensor_key\": \"idx\"");
  EXPECT_EQ(wrong_key.error(),
            blob.string() + kWhere + "there is no tensor `idx`\nhint: the first one is `index`");
  Copy wrong_type(problems() / "flashinfer");
  wrong_type.replace(blob, "I32", "F32");
  EXPECT_EQ(wrong_type.error(),
            blob.string() + kWhere +
                "tensor `index` is F32, the definition says i32\nhint: correct the "
                "one that is wrong");
  Copy wrong_shape(problems() / "flashinfer");
  wrong_shape.replace(lines, "\"rows\": 37", "\"rows\": 36");
  EXPECT_EQ(wrong_shape.error(),
            blob.string() + kWhere +
                "tensor `index` has the shape [37], the workload says [36]\nhint: "
                "correct the axes of the workload, or the file");
  Copy cut_off(problems() / "flashinfer");
  fs::resize_file(cut_off.path() / blob, 100);
  EXPECT_EQ(cut_off.error(),
            blob.string() + kWhere +
                "not a safetensors file: tensor `index` is larger than the file\n"
                "hint: write it again, or fetch it again if the transfer broke off");
}

/// What a run keeps: the definition with everything else beside it.
TEST(FlashInferProblem, CanBeCopiedWithAllThatBelongsToIt) {
  const auto task = read_task(gather());
  ASSERT_TRUE(task) << task.error().text();
  const auto folder = TemporaryFolder::make();
  fs::copy(task->path, folder->path() / task->path.filename());
  for (const TaskFile& file : task->files) {
    fs::create_directories((folder->path() / file.place).parent_path());
    fs::copy(file.file, folder->path() / file.place);
  }
  const auto copy = read_task(folder->path() / "gather_rows.json");
  ASSERT_TRUE(copy) << copy.error().text();
  EXPECT_EQ(copy->workloads.size(), task->workloads.size());
  EXPECT_EQ(copy->workloads[1].data.at("index").file.string(),
            (folder->path() / task->workloads[1].data.at("index").path).string());
  EXPECT_EQ(copy->workloads[1].published, task->workloads[1].published);
  EXPECT_EQ(copy->workloads[1].tolerance, task->workloads[1].tolerance);
}

TEST(SolProblem, HasExpressionAxesAndTolerancesOfItsWorkloads) {
  const auto task = read_task(problems() / "sol/half_sum");
  ASSERT_TRUE(task) << task.error().text();
  ASSERT_EQ(task->workloads.size(), 3u);
  EXPECT_EQ(task->workloads[0].axes.at("half"), 35);
  EXPECT_EQ(task->workloads[0].tolerance, (Tolerance{.matched = 0.99}));
  EXPECT_EQ(task->workloads[1].tolerance,
            (Tolerance{.absolute = 0.001, .relative = 0.002, .matched = 0.95, .cap = 0.1}));
  EXPECT_TRUE(task->files.empty());
}

TEST(SolProblem, FillsInputsByWhatTheirNamesSay) {
  Copy copy(problems() / "sol/half_sum");
  for (const auto& [name, kind] : {std::pair{"row_var2", Distribution::Kind::kUniform},
                                   std::pair{"attention_mask", Distribution::Kind::kInteger},
                                   std::pair{"invariance", Distribution::Kind::kNormal}}) {
    Copy renamed(copy.path());
    renamed.replace("definition.json", "{\"x\": {", "{\"" + std::string(name) + "\": {");
    for (int line = 0; line < 2; ++line)
      renamed.replace("workload.jsonl", "{\"x\":", "{\"" + std::string(name) + "\":");
    fs::remove(renamed.path() / "baseline.cu");
    const auto task = read_task(renamed.path());
    ASSERT_TRUE(task) << task.error().text();
    const auto& found = task->workloads[0].distributions;
    const bool usual = !found.contains(name);
    EXPECT_EQ(usual ? Distribution::Kind::kNormal : found.at(name).kind, kind) << name;
  }
}

TEST(SolProblem, IsAlsoNamedByItsDefinition) {
  const auto task = read_task(problems() / "sol/half_sum/definition.json");
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->path, problems() / "sol/half_sum");
}

TEST(SolProblem, FindsDataThatLieAboveIt) {
  Copy copy(problems());
  const Path blob = "gather_rows_5d2c81a0.safetensors";
  fs::create_directories(copy.path() / "data/blob");
  fs::rename(copy.path() / "flashinfer/blob/workloads/gather/gather_rows" / blob,
             copy.path() / "data/blob" / blob);
  copy.replace("sol/half_sum/definition.json", "\"inputs\": {",
               "\"inputs\": {\"i\": {\"shape\": [\"batch\"], \"dtype\": \"int32\"}, ");
  copy.replace("sol/half_sum/workload.jsonl", "\"inputs\": {",
               "\"inputs\": {\"i\": {\"type\": \"safetensors\", \"path\": \"checkout/data/blob/" +
                   blob.string() + "\", \"tensor_key\": \"index\"}, ");
  copy.replace("sol/half_sum/workload.jsonl", "\"batch\": 3}", "\"batch\": 37}");
  const auto task = read_task(copy.path() / "sol/half_sum");
  ASSERT_TRUE(task) << task.error().text();
  const FixedInput& data = task->workloads[0].data.at("i");
  EXPECT_TRUE(fs::equivalent(data.file, copy.path() / "data/blob" / blob));
  ASSERT_EQ(task->files.size(), 1u);
  EXPECT_EQ(task->files[0].place, Path("half_sum/checkout/data/blob") / blob);
}

TEST(Problem, IsNoDefinitionThatStandsAlone) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(write_file(folder->path() / "x.json", "{}"));
  const auto task = read_task(folder->path() / "x.json");
  EXPECT_EQ(task.error().text(),
            (folder->path() / "x.jsonl").string() +
                " does not exist\nhint: a definition stands in a data set, beside a file of "
                "workloads of its name, or in a folder as definition.json");
}

}  // namespace
}  // namespace kp::task
