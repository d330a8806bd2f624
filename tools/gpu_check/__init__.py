# SPDX-License-Identifier: Apache-2.0
"""The parts of tools/gpu-check. Each module has `run(options)`, which returns {"rows": [...], "summary": {...}},
`table(result)`, which returns lines, and `ABOUT`, one sentence."""
