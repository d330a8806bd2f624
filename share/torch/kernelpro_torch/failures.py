# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as an answer: {ok: false, kind, message, hint}.

kind: "unsupported" (understood, not done), "invalid" (the problem's code or the request does not
work), "memory" (there is not enough), "unavailable" (this Python cannot serve), "failed" (the rest).
"""
import os
import sys
import traceback


class Failure(Exception):
    def __init__(self, kind, message, hint=""):
        super().__init__(message)
        self.kind, self.message, self.hint = kind, message, hint

    def answer(self):
        return {"ok": False, "kind": self.kind, "message": self.message, "hint": self.hint}


def unsupported(message, hint=""):
    return Failure("unsupported", message, hint)


def invalid(message, hint=""):
    return Failure("invalid", message, hint)


MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")


def of(error, file=None):
    """The Failure that an exception amounts to; `file` is the one whose lines are worth naming."""
    if isinstance(error, Failure):
        return error
    said = _said(error) + _place(error, file)
    if isinstance(error, MemoryError) or any(sign in said.lower() for sign in MEMORY):
        return Failure("memory", said, "use smaller sizes")
    if isinstance(error, ModuleNotFoundError):
        return unsupported(f"needs the Python module {error.name}, which {sys.executable} lacks",
                           f"install it: {sys.executable} -m pip install {error.name}")
    return invalid(said)


def _said(error):
    """The last line of the traceback, cut to what a person reads."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    line = " ".join(text.split())
    return line if len(line) <= 500 else line[:497] + "..."


def _place(error, file):
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f" ({os.path.basename(file)}:{frames[-1].lineno})" if frames else ""
