# SPDX-License-Identifier: Apache-2.0
"""What is written to standard output by programs that a candidate starts: load_inline, asked to be
verbose, has its compiler say there what is wrong, and raises no more than that something is.
"""
import contextlib
import os

from kernelpro_torch import failures

HEARD = 1 << 20  # bytes of the file that are read, from its end


@contextlib.contextmanager
def complaints(file):
    """`file` gets all of it; complaints of compilers are added to the Failure that is raised."""
    usual = os.dup(1)
    into = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.dup2(into, 1)
        yield
    except failures.Failure as failure:
        failure.message = failures.shortened("\n".join([failure.message, *told(file)]))
        raise
    finally:
        os.dup2(usual, 1)
        os.close(usual)
        os.close(into)


def told(file):
    with open(file, "rb") as said:
        said.seek(max(0, os.fstat(said.fileno()).st_size - HEARD))
        lines = said.read().decode("utf-8", "replace").splitlines()
    return [line for line in lines if failures.COMPLAINT.search(line)]
