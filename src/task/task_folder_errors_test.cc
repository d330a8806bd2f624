// SPDX-License-Identifier: Apache-2.0
// What is wrong with a task folder, and where.
#include "task/task_folder_fixture.h"

namespace kp::task {
namespace {

struct Edit {
  const char* from;
  const char* to;
  const char* text;
};

std::string replaced(std::string text, const Edit& edit) {
  const std::size_t at = text.find(edit.from);
  EXPECT_NE(at, std::string::npos) << edit.from;
  return text.replace(at, std::string_view(edit.from).size(), edit.to);
}

TEST(TaskFolder, NeedsAReference) {
  TaskFolder folder;
  folder.remove("reference.cc");
  ASSERT_TRUE(folder.read());
  EXPECT_EQ(folder.read()->oracle.kind, Oracle::Kind::kTorch) << "the definition has one in Python";
  folder.write("definition.json", replaced(kDefinition, {"\"def run(): pass\"", "\"\"", ""}));
  EXPECT_EQ(folder.error(),
            "task `scale` has no reference: reference.cc does not exist\nhint: define "
            "kernelpro_reference there (docs/task.md has its signature), give baseline.cu an "
            "`oracle launch`, or the definition a `reference` in Python");
  folder.write(
      "baseline.cu",
      "/* kernelpro\nlaunch k<<<1, 1>>>(x, acc, y, total)\noracle launch k<<<1, 1>>>(x, y)\n*/");
  const auto task = folder.read();
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kKernels);
}

TEST(TaskFolder, NeedsItsTwoFiles) {
  TaskFolder folder;
  folder.remove("workload.jsonl");
  EXPECT_EQ(folder.error(),
            "workload.jsonl does not exist\nhint: each line gives the axes one value: {\"uuid\": "
            "\"a\", \"axes\": {\"n\": 67}}");
  folder.remove("definition.json");
  EXPECT_EQ(folder.error(),
            "definition.json does not exist\nhint: a task folder has definition.json and "
            "workload.jsonl; see docs/task.md");
}

TEST(TaskFolder, ReportsTheFaultsOfItsBaseline) {
  TaskFolder folder;
  folder.write("baseline.cu", "/* kernelpro\nlaunch k<<<1, 1>>>(x, acc, y, totl)\n*/");
  EXPECT_EQ(folder.error(),
            "baseline.cu:2:31: unknown argument `totl`\nhint: did you mean `total`?");
  folder.write("baseline.cu",
               "/* kernelpro\naxis n = 3\noutput y : f32[n]\nlaunch k<<<1, 1>>>(y)\n*/");
  EXPECT_EQ(
      folder.error(),
      "baseline.cu:2:1: `axis n = 3`: a candidate may not redeclare the task\nhint: remove the "
      "line; the task `scale` declares axes, inputs, outputs and work");
}

const Edit kDefinitionEdits[] = {
    {"\"axes\": {\"rows\"", "\"axes\" {\"rows\"",
     "definition.json:5:10: not valid JSON at byte 88\nhint: look for a missing comma, quote or "
     "bracket just before"},
    {"\"name\": \"scale\",", "", "definition.json: `name` is missing"},
    {"\"axes\"", "\"axis\"", "definition.json: `axes` is missing"},
    {"\"value\": 8", "\"value\": 0",
     "definition.json: `axes.cols.value` is not a positive integer"},
    {"\"var\"", "\"vra\"",
     "definition.json: `axes.rows.type` is \"vra\"\nhint: did you mean `var`?"},
    {"\"rows * cols // 2\"", "\"rows ** 2\"",
     "definition.json: `axes.size.expression` cannot be read: expected an operator, found "
     "`**`\nhint: "
     "docs/candidate.md has the grammar"},
    {"\"float16\"", "\"float4_e2m1\"",
     "definition.json: `inputs.x.dtype` \"float4_e2m1\" is not supported\nhint: float64 to "
     "float8, "
     "int8 to int64, uint8 to uint64, and bool are"},
    {"[\"rows\", \"cols\"], \"dtype\": \"float16\"", "[\"rows\", \"clos\"], \"dtype\": \"float16\"",
     "definition.json: unknown name `clos` in `clos`\nhint: did you mean `cols`?"},
    {"\"precision\"", "\"precisoin\"",
     "definition.json: `kernelpro.precisoin` is unknown\nhint: did you mean `precision`?"},
    {"\"precision\": \"f32\"", "\"precision\": \"f33\"",
     "definition.json: `kernelpro.precision` is \"f33\"\nhint: one of f64, f32, tf32, f16, bf16, "
     "fp8"},
    {"\"role\": \"weight\"", "\"role\": \"wait\"",
     "definition.json: `kernelpro.tensors.w.role` is \"wait\"\nhint: one of weight, inout"},
    {"\"acc\": {\"shape\": [\"rows\"], \"dtype\": \"float32\"}},",
     "\"acc\": {\"shape\": [\"cols\"], \"dtype\": \"float32\"}},",
     "definition.json: `outputs.acc` differs from the input of that name"},
    {"\"index\": {\"distribution\"", "\"idx\": {\"distribution\"",
     "definition.json: `kernelpro.tensors.idx` is unknown\nhint: one of x, w, index, a, acc, y, "
     "total"},
};

TEST(TaskFolder, ReportsFaultsOfTheDefinition) {
  for (const Edit& edit : kDefinitionEdits) {
    TaskFolder folder;
    folder.write("definition.json", replaced(kDefinition, edit));
    EXPECT_EQ(folder.error(), edit.text);
  }
}

const Edit kWorkloadEdits[] = {
    {"\"axes\": {\"rows\": 4}", "\"axes\": {\"rows\" 4}",
     "workload.jsonl:1:52: not valid JSON at byte 51\nhint: look for a missing comma, quote or "
     "bracket just before"},
    {"\"rows\": 4", "\"row\": 4",
     "workload.jsonl:1: `axes.row` is not an axis of the definition\nhint: did you mean `rows`?"},
    {"\"rows\": 4", "",
     "workload.jsonl:1: `axes.rows` is missing\nhint: give every `var` axis a value"},
    {"\"rows\": 4", "\"rows\": 0", "workload.jsonl:1: `axes.rows` is not a positive integer"},
    {"\"check\"", "\"chekc\"", "workload.jsonl:1: `role` is neither \"check\" nor \"time\""},
    {"\"uuid\": \"large\"", "\"uuid\": \"small\"",
     "workload.jsonl:2: workload `small` stands twice\nhint: give every line a uuid of its own"},
    {"\"type\": \"random\", \"distribution\": \"uniform(0, 1)\"",
     "\"type\": \"safetensors\", \"path\": \"p\", \"tensor_key\": \"k\"",
     "workload.jsonl:2: `inputs.x` names p, which does not exist\nhint: it is looked for from the "
     "folder of the problem upwards; fetch the data (`git lfs pull` in a checkout)"},
    {"\"type\": \"random\", \"distribution\": \"uniform(0, 1)\"", "\"type\": \"safetensors\"",
     "workload.jsonl:2: `inputs.x` has no `path`\nhint: write {\"type\": \"safetensors\", "
     "\"path\": "
     "\"blob/a.safetensors\", \"tensor_key\": \"x\"}"},
    {"\"type\": \"random\", \"distribution\": \"uniform(0, 1)\"",
     "\"type\": \"safetensors\", \"path\": \"a/../../p\", \"tensor_key\": \"k\"",
     "workload.jsonl:2: `inputs.x` has the path a/../../p, which climbs up\nhint: name a file "
     "below "
     "the folder of the problem"},
    {"\"type\": \"random\", \"distribution\": \"uniform(0, 1)\"", "\"type\": \"custom\"",
     "workload.jsonl:2: `inputs.x.type` is \"custom\", and nothing makes such inputs\nhint: name "
     "the function of `reference` in the definition's custom_inputs_entrypoint"},
    {"\"type\": \"random\", \"distribution\": \"uniform(0, 1)\"", "\"type\": \"zeros\"",
     "workload.jsonl:2: `inputs.x.type` \"zeros\" is not supported\nhint: inputs are random, "
     "scalar "
     "or safetensors"},
    {"\"uuid\": \"large\"", "\"uuid\": \"large\", \"tolerance\": {\"max_atol\": \"x\"}",
     "workload.jsonl:2: `tolerance.max_atol` is not a number of at least 0"},
    {"uniform(0, 1)", "gauss",
     "workload.jsonl:2: `distribution of x` `gauss` is not a "
     "distribution\nhint: one of normal, uniform, int"},
    {"\"a\": {\"type\": \"scalar\", \"value\": 2.5}", "",
     "workload.jsonl:1: `inputs.a` is a scalar without a value\nhint: write {\"type\": "
     "\"scalar\", "
     "\"value\": 1}"},
    {"\"a\": {\"type\": \"scalar\", \"value\": 2.5}", "\"a\": {\"type\": \"scalar\"}",
     "workload.jsonl:1: `inputs.a.value` is not a number"},
    {"\"a\": {\"type\": \"scalar\", \"value\": 2.5}", "\"b\": {\"type\": \"random\"}",
     "workload.jsonl:1: `inputs.b` is not an input of the definition"},
    {"\"axes\": {\"rows\": 64}", "\"role\": \"check\", \"axes\": {\"rows\": 64}",
     "workload.jsonl: no workload has the role \"time\"\nhint: leave the role out of at least "
     "one "
     "line, or write \"role\": \"time\""},
};

TEST(TaskFolder, ReportsFaultsOfTheWorkloads) {
  for (const Edit& edit : kWorkloadEdits) {
    TaskFolder folder;
    folder.write("workload.jsonl", replaced(kWorkloads, edit));
    EXPECT_EQ(folder.error(), edit.text);
  }
  TaskFolder folder;
  folder.write("workload.jsonl", "\n");
  EXPECT_EQ(
      folder.error(),
      "workload.jsonl: no workload\nhint: each line is one: {\"uuid\": \"a\", \"axes\": {\"n\": "
      "67}}");
}

TEST(TaskFolder, ChecksConstraintsThatSpeakOfAxes) {
  TaskFolder folder;
  folder.write("definition.json", replaced(kDefinition, {"rows > 0", "rows > 5", ""}));
  EXPECT_EQ(folder.error(), "workload.jsonl:1: `axes` breaks the constraint `rows > 5`");
}

TEST(TaskFolder, RefusesTextThatIsNotText) {
  TaskFolder folder;
  folder.write("definition.json", std::string("{\0}", 3));
  const auto task = folder.read();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace kp::task
