"""Measure the cost of asking: our part of a model call at 256x256, a cancel, simulated answers.

The call goes to the mock server over a real socket. Sending the same bytes with http.client alone shows the
share of the socket and the server; the rest is ours (encoding, client, transport, parsing).
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from contextlib import closing, suppress
from threading import Thread

import cv2
import numpy as np

from benchmarks.shared.harness import report, sized, timed
from core.belief import Atom, Query
from core.errors import Cancelled
from core.ports import Answerer, Frame
from core.stop_token import StopToken
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.simulated import SimulatedAnswerer
from core.vqa.mock.mock_server import MockServer, start_mock_server
from core.vqa.registry import ModelSettings, model_answerer

QUERIES = [Query(Atom("inside", (f"mug{n}", "cabinet")), f"Is mug {n} inside the cabinet?") for n in range(6)]


class FixedTruth:
    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset(query.atom for query in QUERIES[:3])

    def is_observable(self, atom: Atom) -> bool:
        return True


def call(calls: int = sized(300, 2)) -> None:
    rough = np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)
    png = cv2.imencode(".png", cv2.resize(rough, (256, 256), interpolation=cv2.INTER_CUBIC))[1].tobytes()
    frame = Frame("f", viewpoint="v", png=png)
    print(f"one call, {len(QUERIES)} questions, a picture of {len(png) / 1024:.0f} KiB at 256x256")
    with closing(start_mock_server("perfect")) as server:

        def whole(what: str, truth: FixedTruth | None) -> float:
            with closing(model_answerer(server.url, truth, ModelSettings())) as answerer:
                return warm(what, lambda: answerer.answer(frame, QUERIES, 1, StopToken()), calls)

        ours = whole("  whole call", None)
        whole("  with the truth told to the emulator", FixedTruth())
        bare = warm("  the same bytes with http.client", bare_call(server), calls)
    print(f"  ours: {ours - bare:.1f} ms a call (goal: under 15 ms), {ours / bare:.1f} times the bare call")


def warm(what: str, work: Callable[[], object], times: int) -> float:
    timed(work, sized(5, 1))
    return report(what, timed(work, times))


def bare_call(server: MockServer) -> Callable[[], object]:
    body = json.dumps(server.received[0].body)
    connection = http.client.HTTPConnection(server.url.removeprefix("http://").removesuffix("/v1"))

    def post() -> bytes:
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        return connection.getresponse().read()

    return post


def cancelled() -> None:
    """Report the time from a cancel to the end of a call that is waiting for its reply."""
    server = start_mock_server("perfect", faults="delay=1", delay=30.0)
    with closing(server), closing(model_answerer(server.url, None, ModelSettings())) as answerer:
        spent = [seconds_to_end(answerer) for _ in range(sized(10, 1))]
    report("from a cancel to the end of its call (goal: under 100 ms)", spent)


def seconds_to_end(answerer: Answerer) -> float:
    cancel = StopToken()

    def ask() -> None:
        with suppress(Cancelled):
            answerer.answer(Frame("f", viewpoint="v", png=b"a picture"), QUERIES, 1, cancel)

    asking = Thread(target=ask)
    asking.start()
    time.sleep(0.2)  # let the call get under way
    started = time.perf_counter()
    cancel.end("stop")
    asking.join()
    return time.perf_counter() - started


def simulated() -> None:
    answerer = SimulatedAnswerer(load_profile("gpt-4.1-household"), FixedTruth())
    frame = Frame("f", viewpoint="v")
    warm(
        f"simulated answers, {len(QUERIES)} questions",
        lambda: answerer.answer(frame, QUERIES, 1, StopToken()),
        sized(2000, 2),
    )


PARTS = (call, cancelled, simulated)
