# SPDX-License-Identifier: Apache-2.0
"""Files of Python that are no problems: candidates, and baselines that the user names."""
import importlib.machinery
import importlib.util
import sys


def imported(file, name):
    """The module in a file, executed anew, as modules[name]."""
    loader = importlib.machinery.SourceFileLoader(name, file)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader, origin=file))
    module.__file__ = file
    sys.modules[name] = module
    loader.exec_module(module)
    return module
