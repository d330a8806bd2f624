# SPDX-License-Identifier: Apache-2.0
import json
import os
import socket
import unittest

from kernelpro_torch import frames


class Frames(unittest.TestCase):
    def setUp(self):
        ours, theirs = socket.socketpair()
        self.far = ours
        self.line = frames.Line(theirs.detach(), 7)

    def tearDown(self):
        self.far.close()
        self.line.socket.close()

    def put(self, body, nonce=7, descriptors=()):
        self.far.sendmsg([frames.HEAD.pack(len(body), nonce) + body],
                         [(socket.SOL_SOCKET, socket.SCM_RIGHTS, b"".join(
                             number.to_bytes(4, "little") for number in descriptors))])

    def test_arrive_with_their_descriptors(self):
        self.put(b'{"do": "open"}', descriptors=[0])
        request, descriptors = self.line.receive()
        self.assertEqual((request, len(descriptors)), ({"do": "open"}, 1))
        os.close(descriptors[0])

    def test_with_another_nonce_are_refused(self):
        self.put(b"{}", nonce=8)
        with self.assertRaises(ConnectionError):
            self.line.receive()

    def test_end_with_the_connection(self):
        self.far.close()
        self.assertIsNone(self.line.receive()[0])

    def test_carry_numbers_that_are_not_finite_as_words(self):
        self.line.send({"a": [float("nan"), -float("inf")], "b": {"c": 1.5}})
        length, nonce = frames.HEAD.unpack(self.far.recv(frames.HEAD.size))
        self.assertEqual((json.loads(self.far.recv(length)), nonce),
                         ({"a": ["nan", "-inf"], "b": {"c": 1.5}}, 7))
