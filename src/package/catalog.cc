// SPDX-License-Identifier: Apache-2.0
// The only list of forms.
#include <fmt/format.h>

#include "base/text.h"
#include "package/delivery.h"

namespace kp::package {

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {"cpp", "a header and CUDA sources with a typed launcher", write_cpp},
      {"torch", "a Python module for PyTorch that compiles the same sources", write_torch},
  };
  return all;
}

Result<Form> find_form(std::string_view name) {
  std::vector<std::string> names;
  for (const Form& form : forms()) {
    if (form.name == name) return form;
    names.emplace_back(form.name);
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("`{}` is no form of export", name),
              "the forms are " + join(names, ", "));
}

}  // namespace kp::package
