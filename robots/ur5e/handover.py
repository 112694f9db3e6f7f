"""Which of several consoles moves an arm: asked for, and given or refused by a person, never by itself."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic

from core.arm.handover import ANSWER_TIMEOUT, ArmConsole, HandoverChoice, HandoverNews, SharedArm
from core.errors import ConsoleError
from core.events import ArmHandover, HandoverStage
from robots.ur5e.console_seat import ConsoleMessage, ConsoleSeat, arm_identity
from robots.ur5e.movable_arm import MovableArm

_STANDSTILL_TIMEOUT = 5.0  # seconds within which an arm that is given away must be seen to stand
_FRESH = 0.5  # seconds; older data do not show an arm standing
_JOIN_PATIENCE = 0.2  # seconds for which the lock is tried, as watchers look whether it is held
_OUTCOME_SHOWN = 10.0  # seconds
_GIVING = 10.0  # seconds that the asker waits longer, as the arm may be on its way to it


class Handover:
    """One console's share in an arm: the mover, or a watcher. Any thread; nothing blocks but `close`.

    The first console that joins at the arm's address moves it. Where no other console can be reached,
    `shared` is None and this one moves the arm as if it were alone; `error` says why.
    """

    def __init__(self, arm: MovableArm) -> None:
        self._arm, self.error = arm, "the arm is not connected"
        self._changing = Lock()  # held for an instant
        self._asker: ArmConsole | None = None  # of this console, or its own question's addressee
        self._deadline, self._busy = 0.0, False
        self._outcome, self._outcome_at = "", 0.0
        self._mover: ArmConsole | None = None
        self._held = True  # somebody holds the lock
        self._watch_halt = 0  # the stop with which a watcher begins
        self._listener: Callable[[HandoverNews], None] | None = None
        self._seat: ConsoleSeat | None = None

    def join(self, address: str, serial: str = "") -> None:
        """Take a seat at the arm, as its mover if nobody else is. Idempotent.

        An arm is one with its resolved address and serial number, however its address was written.
        """
        if self._seat is not None:
            return
        try:
            self._seat = seat = ConsoleSeat(arm_identity(address, serial), self._on_message, self._on_tick)
        except ConsoleError as error:
            self.error = str(error)
            return
        if not seat.take_lock(_JOIN_PATIENCE):
            self._watch_halt = self._arm.latch.halt()
        self._look()
        seat.begin()

    # --- what this console knows ---------------------------------------------------------------------------

    @property
    def shared(self) -> SharedArm | None:
        seat = self._seat
        if seat is None:
            return None
        with self._changing:
            asked = self._asker is not None
            left = max(0.0, self._deadline - monotonic()) if asked else 0.0
            return SharedArm(
                seat.console if seat.moves else self._mover,
                seat.moves,
                not self._held and not seat.moves,
                str(self._asker or ""),
                left,
                self._stands(),
                self._busy,
                self._outcome if monotonic() < self._outcome_at + _OUTCOME_SHOWN else "",
            )

    @property
    def refusal(self) -> str:
        """Return why nothing may be moved from here; "" if it may. Takes no lock."""
        seat, busy = self._seat, self._busy
        if seat is None or (seat.moves and not busy):
            return ""
        free = not self._held and not seat.moves
        return SharedArm(self._mover, seat.moves, free, str(self._asker or ""), busy=busy).refusal

    def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None:
        """See `SharesArm.attend`."""
        if self._seat is None:
            return
        self._seat.rename(kind)
        self._listener = listener
        if self._watch_halt and not self._seat.moves:
            listener(HandoverNews(None, self._watch_halt, f"{self.refusal}."))

    # --- what its person does ------------------------------------------------------------------------------

    def choose(self, choice: HandoverChoice) -> str:
        """See `SharesArm.choose`."""
        shared, seat = self.shared, self._seat
        if shared is None or seat is None:
            return self.error or "no other console can be reached"
        if choice not in shared.choices:
            still = choice in (HandoverChoice.GIVE, HandoverChoice.TAKE) and not shared.still
            return "the arm is not seen to stand still" if still else "there is nothing to answer any more"
        match choice:
            case HandoverChoice.ASK:
                return self._ask(seat)
            case HandoverChoice.REFUSE:
                self._refuse(seat, "refused")
            case HandoverChoice.GIVE:
                with self._changing:
                    if self._busy or self._asker is None:
                        return "there is nothing to answer any more"
                    self._busy, to = True, self._asker
                Thread(target=self._give, args=(seat, to), name="handover", daemon=True).start()
            case HandoverChoice.TAKE:
                return self._take(seat)
        return ""

    def stop_mover(self) -> None:
        """Have the console that moves the arm stop all that it moves, the gripper too. Never blocks."""
        seat, mover = self._seat, self._mover
        if seat is not None and not seat.moves and mover is not None:
            seat.send(mover, "stop")

    def close(self) -> None:
        """Leave the arm to others. Idempotent."""
        if self._seat is not None:
            self._seat.close()

    # --- asking --------------------------------------------------------------------------------------------

    def _ask(self, seat: ConsoleSeat) -> str:
        mover = self._mover
        assert mover is not None
        with self._changing:  # all of it before it is sent, as the answer may come at once
            self._asker, self._deadline, seat.asks = mover, monotonic() + ANSWER_TIMEOUT, True
        self._report(HandoverStage.ASKED, str(mover), str(seat.console))
        if not seat.send(mover, "ask"):
            self._on_refused(seat, mover, "it does not answer")
        return ""

    def _on_ask(self, seat: ConsoleSeat, asker: ArmConsole) -> None:
        with self._changing:
            free = seat.moves and not self._busy and self._asker is None
            if free:
                self._asker, self._deadline = asker, monotonic() + ANSWER_TIMEOUT
            other = self._asker
        if free:
            self._report(HandoverStage.ASKED, str(seat.console), str(asker))
        elif other != asker:
            reason = f"{other} asked first" if seat.moves else "it does not move the arm"
            seat.send(asker, "refused", reason)

    def _refuse(self, seat: ConsoleSeat, reason: str) -> None:
        with self._changing:
            asker, self._asker = self._asker, None
        if asker is not None:
            seat.send(asker, "refused", reason)
            self._report(HandoverStage.REFUSED, str(seat.console), str(asker), reason)

    def _on_refused(self, seat: ConsoleSeat, mover: ArmConsole, reason: str) -> None:
        with self._changing:
            mine, self._asker, seat.asks = self._asker is not None and not seat.moves, None, False
        if mine:
            self._report(HandoverStage.REFUSED, str(mover), str(seat.console), reason)

    # --- giving and taking ---------------------------------------------------------------------------------

    def _give(self, seat: ConsoleSeat, to: ArmConsole) -> None:
        """Halt, see the arm stand, end the control program, and only then hand the lock over."""
        arm, event = self._arm, ArmHandover(HandoverStage.GIVEN, str(seat.console), str(to))
        halt, reason = arm.halt(), "it was not seen to stand still"
        self._tell(HandoverNews(None, halt, event.sentence, event.mover))
        if arm.receiver.wait(lambda state: state.at_standstill, _STANDSTILL_TIMEOUT):
            arm.give_up_control()
            reason = "" if seat.give(to) else "it does not answer any more"
        with self._changing:
            self._busy, self._asker = False, None
            self._mover = self._mover if reason else to
        if reason:
            seat.send(to, "refused", reason)
            event = ArmHandover(HandoverStage.REFUSED, event.mover, event.asker, reason)
        self._tell(HandoverNews(event))

    def _on_given(self, seat: ConsoleSeat, mover: ArmConsole) -> None:
        if not seat.moves or not seat.asks:
            return
        self._became_mover(seat, ArmHandover(HandoverStage.GIVEN, str(mover), str(seat.console)))

    def _take(self, seat: ConsoleSeat) -> str:
        gone = self._mover
        if not seat.take_lock(0.0):
            self._look()
            return self.refusal or "another console looks at it just now: once more"
        taken = ArmHandover(HandoverStage.TAKEN, str(gone or ""), str(seat.console))
        self._became_mover(seat, taken)
        return ""

    def _became_mover(self, seat: ConsoleSeat, event: ArmHandover) -> None:
        """Begin halted: nothing moves until the new person has released this stop."""
        halt = self._arm.latch.halt()
        with self._changing:
            self._asker, seat.asks = None, False
        self._look()
        self._tell(HandoverNews(event, halt, event.sentence))

    # --- the seat's thread ---------------------------------------------------------------------------------

    def _on_message(self, message: ConsoleMessage) -> None:
        seat, console = self._seat, message.console
        if seat is None:
            return
        match message.kind:
            case "ask":
                self._on_ask(seat, console)
            case "refused":
                self._on_refused(seat, console, message.reason)
            case "given":
                self._on_given(seat, console)
            case "stop" if seat.moves:
                halt = self._arm.halt()
                self._tell(HandoverNews(None, halt, f"{console} stopped it.", str(console)))

    def _on_tick(self) -> None:
        seat = self._seat
        if seat is None:
            return
        self._look()
        with self._changing:
            end = self._deadline if seat.moves else self._deadline + _GIVING
            late = self._asker is not None and not self._busy and monotonic() > end
        if late and seat.moves:
            self._refuse(seat, f"no answer within {ANSWER_TIMEOUT:g} s")
        elif late and self._mover is not None:
            self._on_refused(seat, self._mover, f"no answer within {ANSWER_TIMEOUT:g} s")

    def _look(self) -> None:
        """See who has the lock. The file is empty for an instant while its new holder writes."""
        if self._seat is not None:
            mover, self._held = self._seat.mover()
            if mover is not None or not self._held:
                self._mover = mover

    # --- telling -------------------------------------------------------------------------------------------

    def _stands(self) -> bool:
        """Return True if nothing here moves the arm, and its data show that it stands."""
        state, receiver = self._arm.receiver.latest, self._arm.receiver
        return (
            state is not None
            and receiver.age < _FRESH
            and state.at_standstill
            and not self._arm.control.activity
        )

    def _report(self, stage: HandoverStage, mover: str, asker: str, reason: str = "") -> None:
        self._tell(HandoverNews(ArmHandover(stage, mover, asker, reason)))

    def _tell(self, news: HandoverNews) -> None:
        if news.event is not None and news.event.stage is not HandoverStage.ASKED:
            self._outcome, self._outcome_at = news.event.sentence, monotonic()
        if self._listener is not None:
            self._listener(news)
