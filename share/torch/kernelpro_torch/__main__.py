# SPDX-License-Identifier: Apache-2.0
"""Serves the socket that is descriptor 3 until it closes."""
import os
import sys

# The folder itself stands first in the path, where its files would hide modules of the same name.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from kernelpro_torch import bytecode, guest, printing, server  # noqa: E402

del sys.path[0]

if __name__ == "__main__":
    bytecode.keep(os.environ.pop("KERNELPRO_BYTECODE", ""))
    printing.never_wait()
    desk = guest.Desk() if sys.argv[2:] == ["guest"] else server.Desk()
    sys.exit(server.serve(nonce=int(sys.argv[1]), desk=desk))
