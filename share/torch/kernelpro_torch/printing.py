# SPDX-License-Identifier: Apache-2.0
"""Standard output and error: pipes that somebody may read later, or never."""
import io
import os
import sys


class Spill(io.TextIOBase):
    """A text stream that drops what the pipe cannot hold, so that printing never waits."""

    encoding = "utf-8"

    def __init__(self, descriptor):
        super().__init__()
        self.descriptor = descriptor

    def write(self, text):
        try:
            os.write(self.descriptor, text.encode("utf-8", "replace"))
        except OSError:
            pass
        return len(text)

    def writable(self):
        return True

    def fileno(self):
        return self.descriptor


def never_wait():
    for number in (1, 2):
        os.set_blocking(number, False)
    sys.stdout, sys.stderr = Spill(1), Spill(2)
