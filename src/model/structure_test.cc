// SPDX-License-Identifier: Apache-2.0
#include "model/structure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kp {
namespace {

using Form = Structure::Form;
using Values = std::vector<double>;

Values applied(const Structure& structure, Values values, MatrixExtents extents = {3, 3}) {
  apply(structure, extents, values);
  return values;
}

const Values kNine{1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(Structure, FormsLeaveAPartOfAMatrixAsItWasDrawn) {
  EXPECT_EQ(applied({Form::kNone}, kNine), kNine);
  EXPECT_EQ(applied({Form::kUpper}, kNine), (Values{1, 2, 3, 0, 5, 6, 0, 0, 9}));
  EXPECT_EQ(applied({Form::kLower}, kNine), (Values{1, 0, 0, 4, 5, 0, 7, 8, 9}));
  EXPECT_EQ(applied({Form::kDiagonal}, kNine), (Values{1, 0, 0, 0, 5, 0, 0, 0, 9}));
  EXPECT_EQ(applied({Form::kSymmetric}, kNine), (Values{1, 2, 3, 2, 5, 6, 3, 6, 9}));
}

TEST(Structure, EachMatrixOfABatchHasItsForm) {
  EXPECT_EQ(applied({Form::kLower}, {1, 2, 3, 4, 5, 6, 7, 8}, {2, 2}),
            (Values{1, 0, 3, 4, 5, 0, 7, 8}));
  EXPECT_EQ(applied({Form::kUpper}, {1, 2, 3, 4, 5, 6}, {2, 3}), (Values{1, 2, 3, 0, 5, 6}))
      << "not square";
}

TEST(Structure, RowsAreSortedWhateverIsInThem) {
  EXPECT_EQ(applied({Form::kAscending}, {3, 1, 2, 9, 8, 7}, {2, 3}), (Values{1, 2, 3, 7, 8, 9}));
  const auto special = applied({Form::kAscending}, {std::nan(""), 2, -INFINITY, 1}, {1, 4});
  EXPECT_EQ(special[0], -INFINITY);
  EXPECT_EQ(special[2], 2);
  EXPECT_TRUE(std::isnan(special[3]));
}

TEST(Structure, TwoValuesAreChosenBeforeTheFormIsMade) {
  const Structure signs{Form::kNone, Structure::TwoValues{-1, 1, 0.25}};
  EXPECT_EQ(applied(signs, {0, 0.2, 0.25, 0.9}, {1, 4}), (Values{1, 1, -1, -1}));
  const Structure causal{Form::kLower, Structure::TwoValues{0, 1, 1}};
  EXPECT_EQ(applied(causal, {0.1, 0.9, 0.5, 0.99}, {2, 2}), (Values{1, 0, 1, 1}));
}

TEST(Structure, SaysWhatMustBeRead) {
  const auto count = [](Form form, MatrixExtents extents) {
    return independent({form, {}}, extents);
  };
  EXPECT_EQ(count(Form::kNone, {3, 4}), 12u);
  EXPECT_EQ(count(Form::kUpper, {3, 4}), 9u);
  EXPECT_EQ(count(Form::kUpper, {4, 2}), 3u);
  EXPECT_EQ(count(Form::kLower, {3, 4}), 6u);
  EXPECT_EQ(count(Form::kLower, {4, 2}), 7u);
  EXPECT_EQ(count(Form::kDiagonal, {3, 4}), 3u);
  EXPECT_EQ(count(Form::kSymmetric, {4, 4}), 10u);
  EXPECT_EQ(count(Form::kAscending, {3, 4}), 0u);
  EXPECT_EQ(independent({Form::kLower, Structure::TwoValues{1, 1, 1}}, {4, 4}), 0u);
  EXPECT_EQ(independent({Form::kNone, Structure::TwoValues{-1, 1, 0.5}}, {1, 4}), 4u);
}

TEST(Structure, IsToldInWords) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of({Form::kUpper}), "upper triangular");
  EXPECT_EQ(text_of({Form::kSymmetric, Structure::TwoValues{0, 1, 0.25}}),
            "symmetric, 0 or 1 (a share of 0.25 is 1)");
  EXPECT_EQ(text_of({Form::kLower, Structure::TwoValues{1, 1, 1}}),
            "lower triangular, elsewhere 1");
}

}  // namespace
}  // namespace kp
