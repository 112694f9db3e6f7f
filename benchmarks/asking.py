"""Measure the cost of asking: our part of a model call at 256x256, parsing replies, simulated answers.

Run: python benchmarks/asking.py

The call goes to the mock server over a real socket. Sending the same bytes with http.client alone shows the
share of the socket and the server; the rest is ours (encoding, client, transport, parsing).
"""

from __future__ import annotations

import http.client
import json
import statistics
import sys
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parent.parent))

import cv2
import numpy as np

from benchmarks.sizes import sized
from core.belief import Atom, Query
from core.cancel import Cancel
from core.errors import Cancelled
from core.ports import Answerer, Frame
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.simulated import SimulatedAnswerer
from core.vqa.mock.mock_server import MockServer, start_mock_server
from core.vqa.registry import ModelSettings, model_answerer
from core.vqa.replies.reply_parser import parse_verdicts

QUERIES = [Query(Atom("inside", (f"mug{n}", "cabinet")), f"Is mug {n} inside the cabinet?") for n in range(6)]


class FixedTruth:
    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset(query.atom for query in QUERIES[:3])

    def is_observable(self, atom: Atom) -> bool:
        return True


def main() -> None:
    call()
    abandoned_calls()
    replies()
    simulated()


def timed(work: Callable[[], object], times: int) -> list[float]:
    """Return the milliseconds of each of `times` calls, after a few to warm up."""
    for _ in range(sized(5, 1)):
        work()
    spent = []
    for _ in range(sized(times, 2)):
        start = time.perf_counter()
        work()
        spent.append((time.perf_counter() - start) * 1000)
    return spent


def report(what: str, spent: list[float]) -> float:
    half = statistics.median(spent)
    print(f"{what:52} p50 {half:8.3f} ms   p99 {sorted(spent)[int(len(spent) * 0.99)]:8.3f} ms")
    return half


def call() -> None:
    rough = np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)
    picture = cv2.resize(rough, (256, 256), interpolation=cv2.INTER_CUBIC)
    png = cv2.imencode(".png", picture)[1].tobytes()
    frame = Frame("f", viewpoint="v", png=png)
    server = start_mock_server("perfect")
    plain = model_answerer(server.url, None, ModelSettings())
    aware = model_answerer(server.url, FixedTruth(), ModelSettings())
    print(f"one call, {len(QUERIES)} questions, a picture of {len(png) / 1024:.0f} KiB at 256x256")
    whole = report("  whole call", timed(lambda: plain.answer(frame, QUERIES, 1, Cancel()), 300))
    report(
        "  with the truth told to the emulator",
        timed(lambda: aware.answer(frame, QUERIES, 1, Cancel()), 300),
    )
    bare = report("  the same bytes with http.client", timed(bare_call(server), 300))
    print(f"  ours: {whole - bare:.1f} ms a call (goal: under 15 ms), {whole / bare:.1f} times the bare call")
    for answerer in (plain, aware):
        answerer.close()
    server.close()


def abandoned_calls() -> None:
    """Report the time from a cancel to the end of a call that is waiting for its reply."""
    server = start_mock_server("perfect", faults="delay=1", delay=30.0)
    answerer = model_answerer(server.url, None, ModelSettings())
    spent = []
    for _ in range(sized(10, 1)):
        cancel = Cancel()
        asked = Thread(target=ended, args=(answerer, cancel))
        asked.start()
        time.sleep(0.2)  # let the call get under way
        started = time.perf_counter()
        cancel.end("stop")
        asked.join()
        spent.append((time.perf_counter() - started) * 1000)
    report("from a cancel to the end of its call (goal: under 100 ms)", spent)
    answerer.close()
    server.close()


def ended(answerer: Answerer, cancel: Cancel) -> None:
    with suppress(Cancelled):
        answerer.answer(Frame("f", viewpoint="v", png=b"a picture"), QUERIES, 1, cancel)


def bare_call(server: MockServer) -> Callable[[], object]:
    body = json.dumps(server.received[0].body)
    connection = http.client.HTTPConnection(server.url.removeprefix("http://").removesuffix("/v1"))

    def post() -> bytes:
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        return connection.getresponse().read()

    return post


def replies() -> None:
    table = Path(__file__).parent.parent / "tests" / "core" / "vqa" / "replies.toml"
    shapes = tomllib.loads(table.read_text(encoding="utf-8"))["shape"]
    labelled = [(text, count) for shape in shapes for count, _, text in shape["replies"]]
    spent = timed(lambda: [parse_verdicts(text, count) for text, count in labelled], 30)
    print(f"read a reply: {statistics.median(spent) / len(labelled) * 1000:.0f} us on average")
    for name, text in {
        "10,000 dots": "." * 9_999 + "x",
        "10,000 brackets": "[" * 9_999,
        "1,400 lines": "1. yes\n" * 1_400,
        "'answer' 1,400 times": "answer " * 1_400,
        "4 MB of yes": "yes " * 1_000_000,
    }.items():
        report(f"  {name}", timed(lambda text=text: parse_verdicts(text, 2), 10))


def simulated() -> None:
    answerer = SimulatedAnswerer(load_profile("gpt-4.1-household"), FixedTruth())
    frame = Frame("f", viewpoint="v")
    spent = timed(lambda: answerer.answer(frame, QUERIES, 1, Cancel()), 2000)
    report(f"simulated answers, {len(QUERIES)} questions", spent)


if __name__ == "__main__":
    main()
