// SPDX-License-Identifier: Apache-2.0
// What the words around a candidate say about it.
#pragma once
#include <string>
#include <string_view>

namespace kp::propose {

/// What follows `LABEL:` on the last line that starts with it, however the line is decorated
/// ("**Idea:**", "- idea:", "// idea:"); empty when there is none. `label` is in lower case.
std::string labelled(std::string_view text, std::string_view label);

/// The first sentence that says something, without decoration; headings and "Here is the code:" do
/// not. Empty when there is none.
std::string first_sentence(std::string_view prose);

/// The first comment of a source that is neither its licence nor its plan, as one sentence.
std::string first_comment(std::string_view source);

}  // namespace kp::propose
