# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARE = pathlib.Path(__file__).resolve().parents[2] / "share" / "torch"
IMPORTS = """
import sys
sys.path[0:0] = [{share!r}, {site!r}]
from kernelpro_torch import bytecode
bytecode.keep({kept!r}, "thing")
import thing.part
"""


class BytecodeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.site, self.kept = (pathlib.Path(folder.name) / name for name in ("site", "kept"))
        (self.site / "thing").mkdir(parents=True)
        for name in ("__init__.py", "part.py"):
            (self.site / "thing" / name).write_text("value = 1\n")

    def run_python(self, program, *flags):
        subprocess.run([sys.executable, "-I", *flags, "-c", program], check=True, timeout=60)

    def imports(self, kept):
        self.run_python(IMPORTS.format(share=str(SHARE), site=str(self.site), kept=kept), "-B")

    def kept_files(self):
        return sorted(p.name.split(".")[0] for p in self.kept.rglob("*.pyc") if "thing" in p.parts)

    def test_a_package_without_bytecode_has_it_kept_elsewhere(self):
        self.imports(str(self.kept))
        self.assertEqual(self.kept_files(), ["__init__", "part"])
        self.assertFalse(list(self.site.rglob("__pycache__")))

    def test_a_package_with_bytecode_is_read_as_it_is(self):
        self.run_python(f"import sys; sys.path[0:0] = [{str(self.site)!r}]; import thing")
        self.assertTrue(list(self.site.rglob("__pycache__")))
        self.imports(str(self.kept))
        self.assertEqual(self.kept_files(), [])

    def test_without_a_folder_nothing_is_kept(self):
        self.imports("")
        self.assertEqual(self.kept_files(), [])
        self.assertFalse(os.path.exists(self.kept))


if __name__ == "__main__":
    unittest.main()
