#!/usr/bin/env python3
"""A stand-in for a model, over plain HTTP on loopback.   standin.py PORTFILE [--port N] [--each] TURN ...

Each request is answered by the next turn; the last one is repeated. --each: each conversation begins with the first. A turn
is `say TEXT`, `run COMMAND` (a call of bash), `refuse TEXT`, `silent` (a head, then nothing), `status CODE` or `cut` (ends in
the middle). {key} in a turn becomes the key that the request carried. /chat/completions is answered in its own way."""
import json
import os
import socket
import sys
import time

turns, port = sys.argv[2:], 0
if turns[0] == "--port":
    port, turns = int(turns[1]), turns[2:]
each = turns[0] == "--each"
turns = turns[each:]
server = socket.create_server(("127.0.0.1", port))
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(server.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])


def events(kind, text, number):
    if kind == "run":
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": "bash",
                "arguments": json.dumps({"command": text}), "status": "completed"}
    else:
        part = {"type": "refusal", "refusal": text} if kind == "refuse" else {"type": "output_text", "text": text, "annotations": []}
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}
        if kind == "say":
            yield {"type": "response.output_text.delta", "item_id": item["id"], "output_index": 0, "content_index": 0, "delta": text}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {"id": f"resp_{number}", "status": "completed", "output": [item], "usage": {
        "input_tokens": 100 * number, "input_tokens_details": {"cached_tokens": 50 * number}, "output_tokens": 10 * number,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110 * number}}}


def chat(kind, text, number):
    delta = {"content": text} if kind == "say" else {"tool_calls": [{"index": 0, "id": f"call_{number}", "type": "function", "function": {
        "name": "bash", "arguments": json.dumps({"command": text})}}]}
    yield {"choices": [{"index": 0, "delta": {"role": "assistant", **delta}}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop" if kind == "say" else "tool_calls"}]}
    yield {"choices": [], "usage": {"prompt_tokens": 100 * number, "completion_tokens": 10 * number, "total_tokens": 110 * number}}


def answer(client, kind, text, number, form):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    if kind == "status":
        body = b'{"error":{"message":"not now","code":"busy"}}'
        client.sendall(b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (int(text), len(body)) + body)
    elif kind == "silent":
        client.sendall(head)
        while client.recv(65536):
            pass
    else:
        body = b"".join(b"data: %s\n\n" % json.dumps(e).encode() for e in form(kind, text, number))
        body += b"data: [DONE]\n\n" if form is chat else b""
        client.sendall(head + (body[:len(body) // 2] if kind == "cut" else body))


number = 0
while True:
    client = server.accept()[0]
    client.settimeout(600)
    try:
        data = b""
        while b"\r\n\r\n" not in data:
            data += client.recv(65536) or sys.exit("no head")
        head, body = data.split(b"\r\n\r\n", 1)
        fields = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])}
        while len(body) < int(fields["content-length"]):
            body += client.recv(65536)
        past = body.count(b'"function_call_output"') + body.count(b'"role":"tool"') if each else number
        turn = turns[min(past, len(turns) - 1)].replace("{key}", fields.get("authorization", "").removeprefix("Bearer "))
        number += 1
        kind, _, text = turn.partition(" ")
        answer(client, kind, text, number, chat if b"/chat/completions" in head.split(b"\r\n")[0] else events)
    except (OSError, SystemExit):
        time.sleep(0)
    client.close()
