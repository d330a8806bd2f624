#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server of models that says what a script says: llm_server.py SCRIPT.json [--log FILE] [--repeat]

Prints "PORT N" on standard output and then serves, on 127.0.0.1, POST /v1/messages (Anthropic) and
POST /v1/chat/completions (OpenAI), both as streams. Each request gets the next entry of the script;
after the last one the server answers 400, or starts again with --repeat. --log appends one JSON
line a request: path, headers, body.

An entry is a reply as in docs/llm.md: text, calls, stop, usage, model. Beside these, for tests:

  thinking: TEXT      a block of reasoning before the text
  times: N            the text N times over
  raw: [TEXT, ...]    these bytes as the stream, each in a piece of its own
  pause_s: S          this long between two pieces (default 0)
  then: "cut"         breaks the connection in the middle of the stream
        "hang"        sends the first half and then nothing more
        "silence"     sends nothing at all
        "nothing"     ends the stream in the middle, as if that were all
  status: N           no stream: this status, with
  error: {type, message, code}   ... in the dialect's form; {key} in the message becomes the key
  headers: {...}      ... and these headers
  body: TEXT          ... or this body
"""
import argparse
import http.server
import json
import sys
import threading
import time

ANTHROPIC_STOPS = {"end": "end_turn", "tool_use": "tool_use", "length": "max_tokens",
                   "refusal": "refusal"}
OPENAI_STOPS = {"end": "stop", "tool_use": "tool_calls", "length": "length",
                "refusal": "content_filter"}
PIECE = 4096  # characters of text in one event


def pieces(text):
    return [text[i:i + PIECE] for i in range(0, len(text), PIECE)]


def stop_of(entry):
    return entry.get("stop") or ("tool_use" if entry.get("calls") else "end")


def halves(text):
    """Arguments come in pieces, as from a real model."""
    middle = len(text) // 2
    return [part for part in (text[:middle], text[middle:]) if part]


class Anthropic:
    path = "/v1/messages"

    @staticmethod
    def key(headers):
        return headers.get("x-api-key", "")

    @staticmethod
    def error(error):
        return {"type": "error", "error": error}

    @staticmethod
    def events(entry, model):
        usage = entry.get("usage", {})
        counts = {"input_tokens": usage.get("input", 0),
                  "cache_read_input_tokens": usage.get("cache_read", 0),
                  "cache_creation_input_tokens": usage.get("cache_written", 0)}
        yield {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "content": [],
            "model": entry.get("model", model), "stop_reason": None,
            "usage": {**counts, "output_tokens": 1}}}
        yield {"type": "ping"}
        for index, (block, deltas) in enumerate(Anthropic.blocks(entry)):
            yield {"type": "content_block_start", "index": index, "content_block": block}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        yield {"type": "message_delta", "delta": {"stop_reason": ANTHROPIC_STOPS[stop_of(entry)]},
               "usage": {"output_tokens": usage.get("output", 0)}}
        yield {"type": "message_stop"}

    @staticmethod
    def blocks(entry):
        if "thinking" in entry:
            yield ({"type": "thinking", "thinking": "", "signature": ""},
                   [{"type": "thinking_delta", "thinking": entry["thinking"]},
                    {"type": "signature_delta", "signature": "signed"}])
        if entry.get("text"):
            yield ({"type": "text", "text": ""},
                   [{"type": "text_delta", "text": part} for part in pieces(entry["text"])])
        for number, call in enumerate(entry.get("calls", []), 1):
            arguments = json.dumps(call.get("arguments", {}))
            yield ({"type": "tool_use", "id": call.get("id", f"call_{number}"),
                    "name": call["name"], "input": {}},
                   [{"type": "input_json_delta", "partial_json": part}
                    for part in halves(arguments)])

    @staticmethod
    def wire(event):
        return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"

    end = ""


class OpenAi:
    path = "/v1/chat/completions"

    @staticmethod
    def key(headers):
        return headers.get("Authorization", "").removeprefix("Bearer ")

    @staticmethod
    def error(error):
        return {"error": {"param": None, "code": None, **error}}

    @staticmethod
    def events(entry, model):
        def chunk(delta, finish=None):
            return {"id": "chatcmpl-1", "object": "chat.completion.chunk",
                    "model": entry.get("model", model),
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        yield chunk({"role": "assistant", "content": ""})
        if "thinking" in entry:
            yield chunk({"reasoning_content": entry["thinking"]})
        for part in pieces(entry.get("text", "")):
            yield chunk({"content": part})
        for index, call in enumerate(entry.get("calls", [])):
            yield chunk({"tool_calls": [{
                "index": index, "id": call.get("id", f"call_{index + 1}"), "type": "function",
                "function": {"name": call["name"], "arguments": ""}}]})
            for part in halves(json.dumps(call.get("arguments", {}))):
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
        yield chunk({}, OPENAI_STOPS[stop_of(entry)])
        yield OpenAi.count(entry, model)

    @staticmethod
    def count(entry, model):
        usage = entry.get("usage", {})
        prompt = sum(usage.get(k, 0) for k in ("input", "cache_read", "cache_written"))
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk",
                "model": entry.get("model", model), "choices": [],
                "usage": {"prompt_tokens": prompt, "completion_tokens": usage.get("output", 0),
                          "total_tokens": prompt + usage.get("output", 0),
                          "prompt_tokens_details": {
                              "cached_tokens": usage.get("cache_read", 0),
                              "cache_write_tokens": usage.get("cache_written", 0)}}}

    @staticmethod
    def wire(event):
        return f"data: {json.dumps(event)}\n\n"

    end = "data: [DONE]\n\n"


class Script:
    def __init__(self, options):
        with open(options.script, encoding="utf-8") as file:
            self.entries = json.load(file)
        self.repeat = options.repeat
        self.log = open(options.log, "a", encoding="utf-8") if options.log else None
        self.lock = threading.Lock()
        self.next = 0

    def take(self, request):
        with self.lock:
            if self.log:
                self.log.write(json.dumps(request) + "\n")
                self.log.flush()
            if self.repeat and self.next == len(self.entries):
                self.next = 0
            if self.next == len(self.entries):
                return {"status": 400, "error": {"type": "invalid_request_error",
                                                 "message": "the script has no more replies"}}
            self.next += 1
            return self.entries[self.next - 1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # one piece, one packet

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = self.server.script.take(
            {"path": self.path, "headers": dict(self.headers), "body": body})
        dialect = next((d for d in (Anthropic, OpenAi) if d.path == self.path), None)
        if dialect is None:
            self.refuse(OpenAi, {"status": 404, "error": {"message": f"no {self.path} here"}})
        elif "status" in entry:
            self.refuse(dialect, entry)
        else:
            self.stream(dialect, entry, body.get("model", ""))

    def refuse(self, dialect, entry):
        error = dict(entry.get("error", {}))
        if "message" in error:
            error["message"] = error["message"].replace("{key}", dialect.key(self.headers))
        body = entry.get("body", json.dumps(dialect.error(error))).encode()
        self.send_response(entry["status"])
        for name, value in entry.get("headers", {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, dialect, entry, model):
        entry = {**entry, "text": entry.get("text", "") * entry.get("times", 1)}
        text = entry.get("raw") or [dialect.wire(e) for e in dialect.events(entry, model)]
        if "raw" not in entry and dialect.end:
            text.append(dialect.end)
        then = entry.get("then")
        if then == "silence":
            self.wait_until_gone()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.send_pieces(text[:len(text) // 2] if then else text, entry.get("pause_s", 0))
        if then == "hang":
            self.wait_until_gone()
        elif then == "cut":
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def send_pieces(self, texts, pause):
        for text in texts:
            piece = text.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if pause:
                self.wfile.flush()
                time.sleep(pause)

    def wait_until_gone(self):
        self.wfile.flush()
        self.connection.recv(1)
        self.close_connection = True

    def handle(self):
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass  # a client that hangs up is what some tests are about

    def finish(self):
        try:
            super().finish()
        except (BrokenPipeError, ConnectionResetError):
            pass

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("script")
    parser.add_argument("--log")
    parser.add_argument("--repeat", action="store_true")
    server = Server(("127.0.0.1", 0), Handler)
    server.script = Script(parser.parse_args())
    print(f"PORT {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
