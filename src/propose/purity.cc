// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "propose/effects.h"

namespace kp::propose {
namespace {

constexpr int kMostCallDepth = 4;

constexpr std::array<std::string_view, 82> kPureFunctions{"expf",
                                                          "exp2f",
                                                          "exp10f",
                                                          "logf",
                                                          "log2f",
                                                          "log10f",
                                                          "log1pf",
                                                          "expm1f",
                                                          "sqrtf",
                                                          "rsqrtf",
                                                          "cbrtf",
                                                          "sinf",
                                                          "cosf",
                                                          "tanf",
                                                          "tanhf",
                                                          "powf",
                                                          "fabsf",
                                                          "fmaxf",
                                                          "fminf",
                                                          "fmaf",
                                                          "floorf",
                                                          "ceilf",
                                                          "roundf",
                                                          "rintf",
                                                          "truncf",
                                                          "erff",
                                                          "erfcf",
                                                          "__expf",
                                                          "__logf",
                                                          "__log2f",
                                                          "__sinf",
                                                          "__cosf",
                                                          "__tanf",
                                                          "__powf",
                                                          "__fdividef",
                                                          "__frcp_rn",
                                                          "__fsqrt_rn",
                                                          "__frsqrt_rn",
                                                          "__fmaf_rn",
                                                          "__fadd_rn",
                                                          "__fmul_rn",
                                                          "__ldg",
                                                          "exp",
                                                          "log",
                                                          "sqrt",
                                                          "pow",
                                                          "fabs",
                                                          "fma",
                                                          "fmax",
                                                          "fmin",
                                                          "abs",
                                                          "min",
                                                          "max",
                                                          "floor",
                                                          "ceil",
                                                          "round",
                                                          "isnan",
                                                          "isinf",
                                                          "__half2float",
                                                          "__float2half",
                                                          "__float2half_rn",
                                                          "__bfloat162float",
                                                          "__float2bfloat16",
                                                          "__float2bfloat16_rn",
                                                          "__int2float_rn",
                                                          "__float2int_rn",
                                                          "__float2int_rz",
                                                          "__uint2float_rn",
                                                          "__popc",
                                                          "__clz",
                                                          "__ffs",
                                                          "__brev",
                                                          "__byte_perm",
                                                          "__mul24",
                                                          "__umul24",
                                                          "__mulhi",
                                                          "__umulhi",
                                                          "__float_as_int",
                                                          "__int_as_float",
                                                          "__saturatef",
                                                          "make_float2",
                                                          "make_float4"};

bool is_pure_function(const SourceTree& tree, std::string_view name, int depth) {
  if (std::find(kPureFunctions.begin(), kPureFunctions.end(), name) != kPureFunctions.end())
    return true;
  const SyntaxNode function = function_of(tree, name);
  if (!function.valid() || depth >= kMostCallDepth || takes_references(tree, name)) return false;
  const SyntaxNode body = function.field("body");
  for (const SyntaxNode& assignment : tree.all(body, "assignment_expression")) {
    // Its own locals may change, memory may not.
    if (assignment.field("left").type() != "identifier") return false;
    if (!declaration_of(tree, function, assignment.field("left").text()).valid()) return false;
  }
  for (const SyntaxNode& step : tree.all(body, "update_expression")) {
    if (step.field("argument").type() != "identifier") return false;
    if (!declaration_of(tree, function, step.field("argument").text()).valid()) return false;
  }
  const auto calls = tree.all(body, "call_expression");
  return tree.all(body, "gnu_asm_expression").empty() &&
         tree.all(body, "lambda_expression").empty() &&
         body.text().find("volatile") == std::string_view::npos &&
         std::all_of(calls.begin(), calls.end(), [&](const SyntaxNode& call) {
           return is_pure_function(tree, call.field("function").text(), depth + 1);
         });
}

bool is_pure_call(const SourceTree& tree, const SyntaxNode& call, int depth) {
  const SyntaxNode callee = call.field("function");
  if (callee.type() == "template_function") {
    const std::string_view text = callee.text();
    return text.starts_with("static_cast<") || text.starts_with("reinterpret_cast<");
  }
  if (callee.type() == "primitive_type") return true;  // float(x)
  return is_pure_function(tree, callee.text(), depth);
}

bool is_pure(const SourceTree& tree, const SyntaxNode& node, int depth) {
  constexpr std::array<std::string_view, 6> kEffects{"assignment_expression", "update_expression",
                                                     "gnu_asm_expression",    "lambda_expression",
                                                     "new_expression",        "ERROR"};
  for (const std::string_view kind : kEffects) {
    if (node.type() == kind || !tree.all(node, kind).empty()) return false;
  }
  auto calls = tree.all(node, "call_expression");
  if (node.type() == "call_expression") calls.push_back(node);
  return !assigns_by_macro(tree, node) &&
         std::all_of(calls.begin(), calls.end(),
                     [&](const auto& call) { return is_pure_call(tree, call, depth); });
}

}  // namespace

bool is_pure(const SourceTree& tree, const SyntaxNode& node) { return is_pure(tree, node, 0); }

}  // namespace kp::propose
