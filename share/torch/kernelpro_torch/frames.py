# SPDX-License-Identifier: Apache-2.0
"""Frames: length of the body (u32), the parent's nonce (u64), both little endian, then the body."""
import array
import json
import math
import socket
import struct

HEAD = struct.Struct("<IQ")
LARGEST = 64 << 20  # bytes; src/base/frame.h


class Line:
    def __init__(self, descriptor, nonce):
        self.socket = socket.socket(fileno=descriptor)
        self.nonce = nonce

    def receive(self):
        """A request and its descriptors, which are the caller's to close; None once it is closed."""
        head, descriptors = self._head()
        if len(head) < HEAD.size:
            return None, descriptors
        length, nonce = HEAD.unpack(head)
        if nonce != self.nonce or length > LARGEST:
            raise ConnectionError("a frame with the wrong nonce or length")
        return json.loads(self._bytes(length)), descriptors

    def send(self, answer):
        body = json.dumps(readable(answer), allow_nan=False).encode()
        self.socket.sendall(HEAD.pack(len(body), self.nonce) + body)

    def _head(self):
        """Descriptors travel beside the first byte."""
        numbers = array.array("i")
        room = socket.CMSG_SPACE(16 * numbers.itemsize)
        first, beside, _, _ = self.socket.recvmsg(HEAD.size, room, socket.MSG_CMSG_CLOEXEC)
        for level, kind, content in beside:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers.frombytes(content[: len(content) // numbers.itemsize * numbers.itemsize])
        return first + self._bytes(HEAD.size - len(first) if first else 0), list(numbers)

    def _bytes(self, count):
        parts = []
        while count > 0:
            part = self.socket.recv(min(count, 1 << 20))
            if not part:
                break
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def readable(value):
    """JSON has no word for what is not finite; the reader of the other side knows these."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {key: readable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [readable(part) for part in value]
    return value
