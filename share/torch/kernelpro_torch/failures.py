# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as an answer: {ok: false, kind, message, hint}.

kind: "unsupported" (understood, not done), "invalid" (the problem's code or the request does not
work), "memory" (there is not enough), "unavailable" (this Python cannot serve), "failed" (the rest).
"""
import contextlib
import os
import re
import sys
import traceback


class Failure(Exception):
    def __init__(self, kind, message, hint="", ends=False):
        super().__init__(message)
        self.kind, self.message, self.hint, self.ends = kind, message, hint, ends

    def answer(self):
        told = {"ok": False, "kind": self.kind, "message": self.message, "hint": self.hint}
        return {**told, "ends": True} if self.ends else told


def unsupported(message, hint=""):
    return Failure("unsupported", message, hint)


def invalid(message, hint=""):
    return Failure("invalid", message, hint)


# After these no call of CUDA works in the process (cudaErrorIllegalAddress and its like).
FAULTS = ("device-side assert", "illegal memory access", "illegal instruction", "misaligned address",
          "unspecified launch failure", "launch timed out", "invalid program counter",
          "hardware stack error", "uncorrectable ecc error")
MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")

LONGEST, HEAD = 500, 80  # characters
COMPLAINT = re.compile(r"\berror( [A-Z0-9]+)?:")


@contextlib.contextmanager
def of_problem(file):
    """What the problem's own code raises, SystemExit too, becomes a Failure."""
    try:
        yield
    except (Failure, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise of(error, file) from error


def of(error, file):
    said = _said(error) + _place(error, file)
    if is_memory(error):
        return Failure("memory", said, "use smaller sizes")
    if any(sign in str(error).lower() for sign in FAULTS):
        return Failure("invalid", said, ends=True)
    if isinstance(error, SyntaxError) and error.filename == file:
        return invalid(f"{type(error).__name__}: {error.msg} ({os.path.basename(file)}:{error.lineno})")
    if isinstance(error, ModuleNotFoundError):
        return unsupported(f"needs the Python module {error.name}, which {sys.executable} lacks",
                           f"install it: {sys.executable} -m pip install {error.name}")
    if isinstance(error, AttributeError) and "'torch" in said:
        return unsupported(f"needs a newer PyTorch: {said}")
    return invalid(said)


def unforeseen(error):
    """What our own code raises."""
    if is_memory(error):
        return Failure("memory", _said(error), "use smaller sizes")
    return Failure("failed", _said(error) + _place(error, None))


def is_memory(error):
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in MEMORY)


def _said(error):
    """The last line of the traceback."""
    return shortened("".join(traceback.format_exception_only(type(error), error)).strip())


def shortened(text):
    """One line, cut to what a person reads: of a compiler's output, the lines that tell of errors."""
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    told = [" ".join(each.split()) for each in text.splitlines() if COMPLAINT.search(each)]
    line = "; ".join([line[:HEAD] + "...", *told]) if told else line
    return line if len(line) <= LONGEST else line[:LONGEST - 3] + "..."


def _place(error, file):
    """The innermost line of the file; of any where none is named."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if file in (None, frame.filename)]
    if not frames:
        return ""
    return f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})"
