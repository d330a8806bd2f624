# SPDX-License-Identifier: Apache-2.0
"""Where Python keeps what it compiled of PyTorch, if the installation has no such place of its own."""
import importlib.util
import os
import sys


def keep(folder, package="torch"):
    """An installation without bytecode costs seconds at each import: `folder` keeps it from now on."""
    found = importlib.util.find_spec(package)
    if not folder or found is None or not found.has_location:
        return
    if os.path.exists(importlib.util.cache_from_source(found.origin)):
        return
    sys.pycache_prefix = folder
    sys.dont_write_bytecode = False
