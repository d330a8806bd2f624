// SPDX-License-Identifier: Apache-2.0
// Calls a task's reference for one request: kernelpro-reference IN OUT. Compiled together with
// reference.cc by the host's compiler. Both files are 64-bit words; host_reference.cc writes and
// reads them.
//   IN:  axis count, then (name, value); input count, then (name, rank, extents, values);
//        output count, then (name, rank, extents)
//   OUT: the values of the outputs, one after the other
// A name is its length in words and its characters, padded with zeroes; a value is a double.
#include <kernelpro/reference.h>

#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace {

std::vector<int64_t> words;
std::size_t at = 0;

int64_t next() { return at < words.size() ? words[at++] : 0; }

std::string next_name() {
  const auto length = static_cast<std::size_t>(next());
  std::string name(length * 8, '\0');
  std::memcpy(name.data(), words.data() + at, name.size());
  at += length;
  return name.c_str();
}

struct Array {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

Array next_array(bool with_values) {
  Array array;
  array.name = next_name();
  array.shape.resize(static_cast<std::size_t>(next()));
  int64_t count = 1;
  for (int64_t& extent : array.shape) count *= extent = next();
  array.values.assign(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
  if (!with_values) return array;
  std::memcpy(array.values.data(), words.data() + at, array.values.size() * 8);
  at += array.values.size();
  return array;
}

std::vector<kp_tensor> views(std::vector<Array>& arrays) {
  std::vector<kp_tensor> tensors;
  for (Array& array : arrays)
    tensors.push_back({array.name.c_str(), static_cast<int32_t>(array.shape.size()),
                       array.shape.data(), static_cast<int64_t>(array.values.size()),
                       array.values.data()});
  return tensors;
}

bool read_words(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  std::fseek(file, 0, SEEK_END);
  words.resize(static_cast<std::size_t>(std::ftell(file)) / 8);
  std::rewind(file);
  const bool all = std::fread(words.data(), 8, words.size(), file) == words.size();
  std::fclose(file);
  return all;
}

std::vector<Array> next_arrays(bool with_values) {
  std::vector<Array> arrays(static_cast<std::size_t>(next()));
  for (Array& array : arrays) array = next_array(with_values);
  return arrays;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 || !read_words(arguments[1])) return 2;
  std::vector<std::string> names(static_cast<std::size_t>(next()));
  std::vector<kp_axis> axes;
  for (std::string& name : names) {
    name = next_name();
    axes.push_back({name.c_str(), next()});
  }
  std::vector<Array> inputs = next_arrays(true), outputs = next_arrays(false);
  for (Array& output : outputs) {
    for (const Array& input : inputs) {
      if (input.name == output.name) output.values = input.values;
    }
  }
  const std::vector<kp_tensor> in = views(inputs);
  std::vector<kp_tensor> out = views(outputs);
  const int failed = kernelpro_reference(axes.data(), static_cast<int32_t>(axes.size()), in.data(),
                                         static_cast<int32_t>(in.size()), out.data(),
                                         static_cast<int32_t>(out.size()));
  if (failed != 0) {
    std::fprintf(stderr, "kernelpro_reference returned %d\n", failed);
    return 3;
  }
  std::FILE* file = std::fopen(arguments[2], "wb");
  if (file == nullptr) return 2;
  bool all = true;
  for (const Array& output : outputs)
    all &= std::fwrite(output.values.data(), 8, output.values.size(), file) == output.values.size();
  return std::fclose(file) == 0 && all ? 0 : 2;
}
