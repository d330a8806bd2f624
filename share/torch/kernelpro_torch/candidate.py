# SPDX-License-Identifier: Apache-2.0
"""A candidate as they are published: a file with `class ModelNew`, made and called as the problem's
`Model` is. Inputs and arguments come from the problem's file alone, whatever this one defines.
"""
import atexit
import inspect
import os
import shutil
import tempfile

import torch

from kernelpro_torch import failures, hearing, loading, placing, seeds

# Where compilers keep what they make; those that are set stay.
CACHES = {"TORCH_EXTENSIONS_DIR": "extensions", "TRITON_CACHE_DIR": "triton",
          "TORCHINDUCTOR_CACHE_DIR": "inductor"}
OWN_CACHES = {name: folder for name, folder in CACHES.items() if name not in os.environ}


class Candidate:
    def __init__(self, problem, file, text):
        self.problem = problem
        folder = tempfile.mkdtemp(prefix="candidate_")
        self.file = os.path.join(folder, os.path.basename(file) or "candidate.py")
        with open(self.file, "w", encoding="utf-8") as source:  # Triton looks for its kernels there
            source.write(text)
        for name, part in OWN_CACHES.items():
            os.environ[name] = os.path.join(folder, part)
            os.makedirs(os.environ[name])
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        with hearing.complaints(os.path.join(folder, "said.txt")), self.own_code():
            found = getattr(loading.imported(self.file, os.path.basename(folder)), "ModelNew", None)
        if not inspect.isclass(found):
            raise failures.unsupported("it defines no class ModelNew", "see docs/torch.md: the guest")
        self.model_class = found

    def own_code(self):
        return failures.of_problem(self.file)

    def instance(self, constants, seed, redrawn, device):
        """With the inputs of the problem's instance of that seed, and its weights where it makes them
        in the same order."""
        instance, arguments = self.drawn(constants, seed, redrawn, device)
        with placing.on(device), self.own_code():
            seeds.plant(seed)
            model = self.model_class(*arguments)
            if not isinstance(model, torch.nn.Module):
                raise failures.unsupported("its class ModelNew is no torch.nn.Module")
            model.to(device)
        instance.owner, instance.model = self, model
        return instance

    def drawn(self, constants, seed, redrawn, device):
        """(an instance with inputs alone, arguments of the constructor)"""
        with placing.on(device):
            instance, arguments = self.problem.without_model(constants, seed)
            seeds.screened(instance, redrawn, seed)
        return instance, arguments
