# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

from kernelpro_torch import frames, raw

PROGRAM = pathlib.Path(frames.__file__).parent
NONCE = 7
PATIENCE = struct.pack("ll", 60, 0)  # seconds, microseconds

PROBLEM = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1
def get_inputs():
    return [torch.rand(300)]
"""

CANDIDATE = """
import os, sys
import torch
print("of the module " * 100000)
class ModelNew(torch.nn.Module):
    def forward(self, x):
        print("of the call " * 100000, file=sys.stderr)
        return x + 1
"""


class Process:
    """The program as the judge starts it."""

    def __init__(self, test, *arguments):
        self.socket, theirs = socket.socketpair()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, PATIENCE)
        self.line = frames.Line(os.dup(self.socket.fileno()), NONCE)
        self.folder = tempfile.TemporaryDirectory()
        started = [sys.executable, "-I", "-B", str(PROGRAM), str(NONCE), *arguments]
        self.process = subprocess.Popen(
            started, env={**os.environ, "TMPDIR": self.folder.name}, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, close_fds=False, preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
        theirs.close()
        test.addCleanup(self.folder.cleanup)
        test.addCleanup(self.end)

    def ask(self, descriptors=(), **request):
        """Nothing once it has ended."""
        body = json.dumps(request).encode()
        socket.send_fds(self.socket, [frames.HEAD.pack(len(body), NONCE) + body], list(descriptors))
        return self.line.receive()[0]

    def end(self):
        """What it has left in its folder."""
        self.socket.close()
        self.line.socket.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait(timeout=60)
        return os.listdir(self.folder.name)


class Guest(unittest.TestCase):
    def setUp(self):
        self.guest, self.descriptor = Process(self, "guest"), os.memfd_create("test")
        self.addCleanup(os.close, self.descriptor)
        self.assertTrue(self.guest.ask(do="open", device="cpu")["ok"])
        self.ask("load", file="task.py", text=PROBLEM)

    def ask(self, verb, **more):
        request = {"do": verb, "problem": "old", "candidate": "new", "constants": {}, "redrawn": [], **more}
        return self.guest.ask([self.descriptor], **request)

    def test_serves_whatever_a_candidate_prints_and_leaves_nothing(self):
        self.assertTrue(self.ask("adopt", file="new.py", text=CANDIDATE)["ok"])
        told = self.ask("run", seed=5)
        output = raw.Output(self.descriptor, told["outputs"][0])
        self.assertEqual(output.shape, [300])
        self.assertGreaterEqual(output.part(0, 300).min().item(), 1)
        self.assertLess(output.part(0, 300).max().item(), 2)
        self.assertTrue(os.listdir(self.guest.folder.name))
        self.assertEqual(self.guest.end(), [])

    def test_survives_a_candidate_that_exits_politely(self):
        told = self.ask("adopt", file="new.py", text="raise SystemExit(0)")
        self.assertEqual((told["ok"], told["kind"]), (False, "invalid"))
        self.assertTrue(self.ask("load", file="task.py", text=PROBLEM)["ok"])

    def test_ends_with_a_candidate_that_ends_the_process(self):
        self.assertIsNone(self.ask("adopt", file="new.py", text="import os; os._exit(0)"))


class Worker(unittest.TestCase):
    def test_adopts_no_candidate(self):
        worker = Process(self)
        self.assertTrue(worker.ask(do="open", device="cpu")["ok"])
        told = worker.ask(do="adopt", problem="old", candidate="new", file="new.py", text=CANDIDATE)
        self.assertEqual(told["ok"], False)
        self.assertIn("no verb adopt", told["message"])
