// SPDX-License-Identifier: Apache-2.0
// Rows that all threads of a block look at, brought to shared memory some at a time before they are
// used. For split_rows().
#pragma once
#include "propose/edit.h"
#include "propose/row_split.h"

namespace kp::propose {

/// Rows that 128-bit loads can bring whole, short enough for several to fit.
bool can_be_staged(const RowLoop& staged);

/// Splits `staged` into one over stages, which all threads of the block must reach, and one over
/// the rows of a stage.
void write_row_stage(const SourceTree& tree, const RowLoop& staged, Edits& edits);

}  // namespace kp::propose
