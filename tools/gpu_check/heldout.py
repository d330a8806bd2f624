# SPDX-License-Identifier: Apache-2.0
"""The kernels of bench/corpus/heldout, as those of bench/corpus: no tool was tuned on what they showed."""
from gpu_check import corpus

ABOUT = "planted faults that no tool was tuned on, and their twins"
summary, table = corpus.summary, corpus.table


def run(options):
    return corpus.run(options, "heldout")
