"""Cameras for tests: pictures with a sensor's noise, as files that a program rewrites, or over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import cv2
import numpy as np
from numpy.typing import NDArray

HEIGHT, WIDTH = 48, 64
BITS = 20  # of the moment that a picture shows, in hundredths of a second
_RNG = np.random.default_rng(0)


def scene(shows: float = 0.0) -> NDArray[np.uint8]:
    """Return a noisy picture that shows a moment, in seconds, as black and white blocks."""
    picture = _RNG.integers(100, 140, (HEIGHT, WIDTH, 3), np.uint8)
    for bit in range(BITS):
        row, column = 8 * (bit // 8), 8 * (bit % 8)
        picture[row : row + 8, column : column + 8] += np.uint8(100 * (round(shows * 100) >> bit & 1))
    return picture


def shown(rgb: NDArray[np.uint8]) -> float:
    """Return the moment that a picture shows."""
    middles = [
        rgb[8 * (b // 8) + 2 : 8 * (b // 8) + 6, 8 * (b % 8) + 2 : 8 * (b % 8) + 6] for b in range(BITS)
    ]
    return sum(int(block.mean() > 170) << bit for bit, block in enumerate(middles)) / 100


def noisy_depth(rng: np.random.Generator = _RNG) -> NDArray[np.uint16]:
    return rng.integers(990, 1010, (HEIGHT, WIDTH), np.uint16)


def write_whole(path: Path, picture: NDArray[np.uint8] | NDArray[np.uint16]) -> None:
    """Write whole or not at all, as a careful camera program does it."""
    part = path.with_name(f"part-{path.name}")
    cv2.imwrite(str(part), picture)
    part.replace(path)


class PictureWriter:
    """Rewrites files from a thread of its own until it is closed; a file's picture is what `draw` returns."""

    def __init__(
        self, files: dict[Path, Callable[[], NDArray[np.uint8] | NDArray[np.uint16]]], period: float = 0.05
    ) -> None:
        self._files, self._period, self._closing = files, period, Event()
        self.write()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def write(self) -> None:
        for path, draw in tuple(self._files.items()):
            write_whole(path, draw())

    def _run(self) -> None:
        while not self._closing.wait(self._period):
            with suppress(OSError):  # a test may have taken its place away
                self.write()

    def close(self) -> None:
        self._closing.set()
        self._thread.join(5)


class _Camera(BaseHTTPRequestHandler):
    """A network camera: JPEG after JPEG, as `multipart/x-mixed-replace`."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        server: CameraServer = self.server  # type: ignore[assignment]
        with suppress(OSError):
            while not server.closing.wait(0.03):
                jpeg = cv2.imencode(".jpg", server.draw(), [cv2.IMWRITE_JPEG_QUALITY, 98])[1].tobytes()
                head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                self.wfile.write(head.encode() + jpeg + b"\r\n")

    def log_message(self, *_: object) -> None:
        pass


class CameraServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, draw: Callable[[], NDArray[np.uint8]]) -> None:
        super().__init__(("127.0.0.1", 0), _Camera)
        self.draw, self.closing, self.began = draw, Event(), monotonic()


@contextmanager
def network_camera(draw: Callable[[], NDArray[np.uint8]] = scene) -> Iterator[str]:
    server = CameraServer(draw)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://lab:secret@127.0.0.1:{server.server_port}/live.mjpg"
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
