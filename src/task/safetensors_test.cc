// SPDX-License-Identifier: Apache-2.0
#include "task/safetensors.h"

#include <gtest/gtest.h>

namespace kp::task {
namespace {

std::string with_length(std::string_view header, std::string_view data = {}) {
  return safetensors_text(header, data);
}

std::string fault(const std::string& file) {
  const auto tensors = parse_safetensors(file, file.size(), "t");
  return tensors ? "none" : tensors.error().message;
}

constexpr const char* kTwo =
    R"({"__metadata__": {"format": "pt"},
        "b": {"dtype": "I32", "shape": [2], "data_offsets": [4, 12]},
        "a": {"dtype": "F16", "shape": [1, 2], "data_offsets": [0, 4]}})";

TEST(Safetensors, BeginWithTheLengthOfTheHeader) {
  EXPECT_EQ(safetensors_text("{}", "ab"), std::string("\2\0\0\0\0\0\0\0{}ab", 12));
}

TEST(Safetensors, TellsWhereEachTensorStands) {
  const std::string file = with_length(kTwo, "aaaabbbbbbbb");
  const auto tensors = parse_safetensors(file, file.size(), "t");
  ASSERT_TRUE(tensors) << tensors.error().text();
  ASSERT_EQ(tensors->size(), 2u);
  const StoredTensor& first = tensors->at(0);
  EXPECT_EQ(first.key, "a");
  EXPECT_EQ(first.dtype, DType::kF16);
  EXPECT_EQ(first.shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(file.substr(first.offset, first.bytes), "aaaa");
  EXPECT_EQ(file.substr(tensors->at(1).offset, tensors->at(1).bytes), "bbbbbbbb");
}

TEST(Safetensors, ReadsOnlyTheHeaderOfAFile) {
  const auto folder = TemporaryFolder::make();
  const Path path = folder->path() / "t";
  ASSERT_TRUE(write_file(path, with_length(kTwo, "aaaabbbbbbbb")));
  EXPECT_EQ(read_safetensors(path)->size(), 2u);
  EXPECT_EQ(read_range(path, 0, 8)->size(), 8u);
  EXPECT_EQ(read_range(path, 0, 1 << 20).error().code, ErrorCode::kIo);
  EXPECT_EQ(read_safetensors(folder->path() / "absent").error().code, ErrorCode::kNotFound);
}

TEST(Safetensors, KnowsTensorsOfTypesThatNoPlanHas) {
  const std::string file =
      with_length(R"({"q": {"dtype": "F4", "shape": [8], "data_offsets": [0, 4]}})", "qqqq");
  const auto tensors = parse_safetensors(file, file.size(), "t");
  ASSERT_TRUE(tensors) << tensors.error().text();
  EXPECT_FALSE(tensors->at(0).dtype);
  EXPECT_EQ(tensors->at(0).dtype_name, "F4");
}

TEST(Safetensors, SaysThatAGitLfsPointerIsNotTheFile) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
  const auto tensors = parse_safetensors(pointer, pointer.size(), "x.safetensors");
  EXPECT_EQ(
      tensors.error().text(),
      "x.safetensors: this is a Git LFS pointer, not the file itself\nhint: run `git lfs pull "
      "--include x.safetensors` in its repository");
}

std::string one(const char* entry) { return with_length(entry, "12345678"); }

TEST(Safetensors, BelievesNoHeaderThatDoesNotFitTheFile) {
  const std::pair<std::string, const char*> faults[] = {
      {"", "it has less than 8 bytes"},
      {std::string(8, '\xFF'), "its header should have 18446744073709551615 bytes"},
      {with_length("{}").substr(0, 9), "its header should have 2 bytes"},
      {with_length("[]"), "its header is not a JSON object"},
      {with_length("{"), "its header is not a JSON object"},
      {one(R"({"x": 1})"), "tensor `x` is not an object"},
      {one(R"({"x": {"shape": [2], "data_offsets": [0, 8]}})"), "tensor `x` has no dtype"},
      {one(R"({"x": {"dtype": "F32", "data_offsets": [0, 8]}})"), "tensor `x` has no shape"},
      {one(R"({"x": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}})"),
       "tensor `x` has a shape that is no list of sizes"},
      {one(R"({"x": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 8]}})"),
       "tensor `x` has more elements than there are numbers"},
      {one(R"({"x": {"dtype": "F64", "shape": [2305843009213693953], "data_offsets": [0, 8]}})"),
       "tensor `x` is larger than the file"},
      {one(R"({"x": {"dtype": "F32", "shape": [2]}})"), "tensor `x` has no data_offsets"},
      {one(R"({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 9]}})"),
       "tensor `x` lies outside of the file"},
      {one(R"({"x": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}})"),
       "tensor `x` lies outside of the file"},
      {one(R"({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})"),
       "tensor `x` has 4 bytes, its shape [2] of F32 is another size"},
      {one(R"({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
               "y": {"dtype": "F32", "shape": [1], "data_offsets": [3, 7]}})"),
       "tensors `x` and `y` overlap"}};
  for (const auto& [file, what] : faults)
    EXPECT_EQ(fault(file), std::string("not a safetensors file: ") + what);
}

}  // namespace
}  // namespace kp::task
