"""Tell when the controller measured what it sends, by its own clock and by what it answers. Pure."""

from __future__ import annotations

from collections import deque

PROOF_WINDOW_S = 0.5  # within which the best proof counts; after it, the last one
_LEAP = (
    0.1  # seconds between two packages by the controller's clock, which nothing but a clock that is set makes
)
_DRIFT = 1e-3  # seconds a second by which the two clocks may differ, more than any two do


class SourceClock:
    """Maps the timestamps of one stream to our `time.monotonic`, never to a moment that is too late.

    A package that answers a request was made after the request was sent, so a proof is the difference of that
    moment and the package's timestamp. It dates every later package too, however late it comes: at a moment
    before the measurement, by as much as the request took on its way. Arrival dates nothing.
    """

    def __init__(self) -> None:
        self._timestamp = float("-inf")
        self._proofs: deque[tuple[float, float]] = (
            deque()
        )  # when the request was sent; what a timestamp lacks
        self._dated: float | None = None

    def date(self, timestamp: float, received_at: float, asked_at: float | None = None) -> float | None:
        """Return when the next package was measured at the earliest; None while nothing is proved.

        `asked_at` is when the request was sent that it is the first to answer. A package whose timestamp does
        not advance is as old as the one before it; one that leaps or goes back needs a new proof.
        """
        advance, self._timestamp = timestamp - self._timestamp, timestamp
        if not 0 <= advance < _LEAP:
            self._proofs.clear()  # it was started again, or its clock was set
        if advance == 0:
            return self._dated
        if asked_at is not None:
            self._proofs.append((asked_at, asked_at - timestamp))
        while len(self._proofs) > 1 and self._proofs[0][0] < received_at - PROOF_WINDOW_S:
            self._proofs.popleft()
        for proof in tuple(self._proofs):
            moment = timestamp + proof[1] - _DRIFT * (received_at - proof[0])
            if moment > received_at:  # disproved: its clock stood still meanwhile
                self._proofs.remove(proof)
            elif self._dated is None or moment > self._dated:  # packages come in the order they were made in
                self._dated = moment
        return self._dated
