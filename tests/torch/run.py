# SPDX-License-Identifier: Apache-2.0
"""Tests of share/torch/kernelpro_torch: PYTHON -I -B tests/torch/run.py; needs PyTorch."""
import pathlib
import sys
import unittest

here = pathlib.Path(__file__).resolve().parent
sys.path[0:0] = [str(here), str(here.parent.parent / "share" / "torch")]
found = unittest.defaultTestLoader.discover(str(here), pattern="*_test.py")
result = unittest.TextTestRunner(stream=sys.stdout).run(found)
sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
