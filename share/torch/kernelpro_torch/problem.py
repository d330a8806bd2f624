# SPDX-License-Identifier: Apache-2.0
"""A problem: a file with `class Model`, get_inputs() and get_init_inputs(), or with run() and
get_inputs(). Its code is executed anew for every use, so that nothing of one is left in the next.
"""
import inspect
import sys
import types

import torch

from kernelpro_torch import constants as module_constants
from kernelpro_torch import failures, names, placing, precision, seeds

SEED = 42  # of values that nobody asked to be others


class Problem:
    def __init__(self, file, text):
        self.file, self.text = file, text
        try:
            self.constants = module_constants.of(module_constants.ast.parse(text, file))
        except SyntaxError as error:
            raise failures.invalid(f"SyntaxError: {error.msg} (line {error.lineno})") from error
        with placing.shapes_only(), precision.usual(), self.own_code():
            self.form(self.module({}))

    def own_code(self):
        return failures.of_problem(self.file)

    def module(self, constants):
        """Its namespace after its body was executed."""
        unknown = sorted(set(constants) - set(self.constants))
        if unknown:
            raise failures.invalid(f"no constant {unknown[0]}", f"there are: {sorted(self.constants)}")
        tree = module_constants.replaced(self.text, self.file, constants)
        module = types.ModuleType("kernelpro_problem")
        module.__file__ = self.file
        sys.modules[module.__name__] = module  # classes look for their module there
        exec(compile(tree, self.file, "exec"), module.__dict__)
        return module

    def form(self, module):
        """"model" or "run"."""
        if not callable(getattr(module, "get_inputs", None)):
            raise failures.unsupported("it defines no get_inputs()", "see docs/torch.md: problem files")
        if callable(getattr(module, "run", None)):
            return "run"
        if not inspect.isclass(getattr(module, "Model", None)):
            raise failures.unsupported("it defines neither class Model nor run()",
                                       "see docs/torch.md: problem files")
        return "model"

    def instance(self, constants, seed=SEED):
        """With inputs and weights as its own code makes them from the seed. The caller says where
        arrays are placed."""
        with self.own_code():
            return self.made(constants, seed)

    def made(self, constants, seed):
        module, form = self.seeded(constants, seed)
        if form == "run":
            return Instance(self, module.run, None, inputs(module, seed))
        given = arguments(module)
        seeds.plant(seed)
        model = module.Model(*given)
        if not isinstance(model, torch.nn.Module):
            raise failures.unsupported("its class Model is no torch.nn.Module")
        return Instance(self, model.forward, model, inputs(module, seed))

    def without_model(self, constants, seed):
        """(an instance of which the model is still missing, arguments of its constructor)"""
        with self.own_code():
            module, form = self.seeded(constants, seed)
            if form == "run":
                raise failures.unsupported("it is a function; only a class Model has a ModelNew")
            given = arguments(module)
            forward = types.MethodType(module.Model.forward, module)  # names are those without self
            return Instance(self, forward, None, inputs(module, seed)), given

    def seeded(self, constants, seed):
        seeds.plant(seed, "file")
        module = self.module(constants)
        return module, self.form(module)


def inputs(module, seed):
    seeds.plant(seed, "inputs")
    return module.get_inputs()


def arguments(module):
    make = getattr(module, "get_init_inputs", list)
    made = make()
    if not isinstance(made, (list, tuple)):
        raise failures.unsupported("get_init_inputs() gives no list")
    return made


class Instance:
    """`owner` is whose code runs: it says so of what that raises."""

    def __init__(self, owner, function, model, inputs):
        self.owner, self.function, self.model = owner, function, model
        self.inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
        given = names.Names()
        self.input_names = [given.unique(name) for name in parameters(function, len(self.inputs))]
        self.weights = {given.unique(key): place for key, place in names.weights(model)}
        self.names = given
        for name, value in zip(self.input_names, self.inputs):
            if not isinstance(value, (torch.Tensor, bool, int, float)):
                raise failures.unsupported(f"input {name} is neither tensor nor number, but "
                                           f"{type(value).__name__}")

    def run(self, inputs=None):
        """[(name, tensor)]"""
        with self.owner.own_code():
            made = (self.model or self.function)(*(self.inputs if inputs is None else inputs))
        outputs = list(names.flat(made))
        if not outputs:
            raise failures.unsupported(f"its output is no tensor, but {type(made).__name__}")
        given = self.names.copy()
        one = len(outputs) == 1
        return [(given.unique("out" if one else f"out{i}"), tensor) for i, tensor in enumerate(outputs)]


def parameters(function, count):
    """The names of the first `count` arguments."""
    found, rest = [], "input"
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind == parameter.VAR_POSITIONAL:
            rest = parameter.name
        elif parameter.kind not in (parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            found.append(parameter.name)
    return (found + [f"{rest}{i}" for i in range(count - len(found))])[:count]
