"""Settle which of several consoles moves an arm: a person asks, and a person gives or refuses."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from time import monotonic

from core.arm.handover import ArmConsole, HandoverChoice, HandoverNews, SharedArm
from core.errors import ConsoleError
from core.events import ArmHandover, HandoverStage
from robots.ur5e.console_seat import ConsoleMessage, ConsoleSeat, arm_identity
from robots.ur5e.movable_arm import MovableArm

_STANDSTILL_TIMEOUT_S = 5.0  # within which an arm that is given up must be seen to stand
_FRESH_S = 0.5  # older data do not show an arm standing
ASK_SHOWN_S = 60.0  # for which it is shown that somebody asks for the arm


class Handover:
    """One console's share in an arm: the mover, or a watcher. Any thread; nothing blocks but `close`.

    The first console that joins at the arm's address moves it. Where no other console can be reached,
    `shared` is None and this one moves the arm as if it were alone.
    """

    def __init__(self, arm: MovableArm) -> None:
        self._arm = arm
        self._asked: tuple[ArmConsole, float] | None = None  # who asked for the arm, and when
        self._busy = False  # it is being given up
        self._mover: ArmConsole | None = None
        self._held = True  # somebody holds the lock
        self._watch_halt = 0  # the stop with which a watcher begins
        self._listener: Callable[[HandoverNews], None] = lambda news: None
        self._seat: ConsoleSeat | None = None

    def join(self, address: str, serial: str = "") -> None:
        """Take a seat at the arm, as its mover if nobody else is. Idempotent.

        An arm is one with its resolved address and serial number, however its address was written.
        """
        if self._seat is not None:
            return
        try:
            self._seat = seat = ConsoleSeat(arm_identity(address, serial), self._on_message, self._look)
        except ConsoleError:
            return
        if not seat.take_lock():
            self._watch_halt = self._arm.latch.halt()
        self._look()
        seat.begin()

    # --- what this console knows ---------------------------------------------------------------------------

    @property
    def shared(self) -> SharedArm | None:
        seat, asked = self._seat, self._asked
        if seat is None:
            return None
        moves, asker = seat.moves, asked[0] if asked and monotonic() < asked[1] + ASK_SHOWN_S else ""
        mover = seat.console if moves else self._mover
        free = not self._held and not moves
        return SharedArm(mover, moves, free, str(asker), self._stands(), self._busy)

    @property
    def refusal(self) -> str:
        """Return why nothing may be moved from here; "" if it may. Takes no lock."""
        shared = self.shared
        return "" if shared is None else shared.refusal

    def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None:
        """See `SharesArm.attend`."""
        if self._seat is None:
            return
        self._seat.rename(kind)
        self._listener = listener
        if self._watch_halt and not self._seat.moves:
            listener(HandoverNews(None, self._watch_halt, f"{self.refusal}."))

    def tell_of_halt(self, number: int, reason: str) -> None:
        """Say that the arm was halted from outside this console: by its guard, its controller, or a loss."""
        self._listener(HandoverNews(None, number, reason))

    # --- what its person does ------------------------------------------------------------------------------

    def choose(self, choice: HandoverChoice) -> str:
        """See `SharesArm.choose`."""
        shared, seat = self.shared, self._seat
        if shared is None or seat is None:
            return "no other console can be reached"
        if choice not in shared.choices:
            still = choice is not HandoverChoice.ASK and not shared.still
            if choice is HandoverChoice.GIVE and shared.moves and not shared.asker:
                return "nobody asks for the arm"
            return "the arm is not seen to stand still" if still else "this cannot be chosen any more"
        match choice:
            case HandoverChoice.ASK:
                return self._ask(seat, shared)
            case HandoverChoice.GIVE:
                self._busy, self._asked = True, None
                Thread(target=self._give, args=(seat, shared.asker), name="handover", daemon=True).start()
                return ""
            case HandoverChoice.TAKE:
                return self._take(seat)

    def stop_mover(self) -> None:
        """Have the console that moves the arm stop all that it moves, the gripper too. Never blocks."""
        seat, mover = self._seat, self._mover
        if seat is not None and not seat.moves and mover is not None:
            seat.send(mover, "stop")

    def close(self) -> None:
        """Leave the arm to others. Idempotent."""
        if self._seat is not None:
            self._seat.close()

    def _ask(self, seat: ConsoleSeat, shared: SharedArm) -> str:
        if shared.mover is None or not seat.send(shared.mover, "ask"):
            return "it does not answer"
        self._asked = seat.console, monotonic()
        self._tell(ArmHandover(HandoverStage.ASKED, str(shared.mover), str(seat.console)))
        return ""

    def _give(self, seat: ConsoleSeat, asker: str) -> None:
        """Halt, see the arm stand, end the control program, and only then let go of the lock."""
        arm, event = self._arm, ArmHandover(HandoverStage.GIVEN, str(seat.console), asker)
        self._listener(HandoverNews(None, arm.halt(), event.sentence, event.mover))
        if arm.receiver.wait(lambda state: state.at_standstill, _STANDSTILL_TIMEOUT_S):
            arm.give_up_control()
            seat.release()
        else:
            event = ArmHandover(HandoverStage.REFUSED, event.mover, asker, "it was not seen to stand still")
        self._look()
        self._busy = False
        self._tell(event)

    def _take(self, seat: ConsoleSeat) -> str:
        """Begin halted: nothing moves until the new person has released this stop."""
        gone = self._mover
        if not seat.take_lock():
            self._look()
            return self.refusal or "another console looks at it just now: once more"
        halt, self._asked = self._arm.latch.halt(), None
        self._tell(ArmHandover(HandoverStage.TAKEN, str(gone or ""), str(seat.console)), halt)
        return ""

    # --- the seat's thread ---------------------------------------------------------------------------------

    def _on_message(self, message: ConsoleMessage) -> None:
        seat, console = self._seat, message.console
        if seat is None or not seat.moves:
            return
        match message.kind:
            case "ask":
                self._asked = console, monotonic()
                self._tell(ArmHandover(HandoverStage.ASKED, str(seat.console), str(console)))
            case "stop":
                halt = self._arm.halt()
                self._listener(HandoverNews(None, halt, f"{console} stopped it.", str(console)))

    def _look(self) -> None:
        """See who has the lock. The file is empty for an instant while its new holder writes."""
        if (seat := self._seat) is None:
            return
        before, (mover, self._held) = self._mover, seat.mover()
        if mover is not None or not self._held:
            self._mover = mover
        if (
            self._asked and before is not None and not self._held and mover is None
        ):  # one who died leaves a name
            self._asked = None
            self._tell(ArmHandover(HandoverStage.GIVEN, str(before), str(seat.console)))

    def _stands(self) -> bool:
        state, receiver = self._arm.receiver.latest, self._arm.receiver
        return (
            state is not None
            and receiver.age < _FRESH_S
            and state.at_standstill
            and not self._arm.control.activity
        )

    def _tell(self, event: ArmHandover, halt: int = 0) -> None:
        self._listener(HandoverNews(event, halt, event.sentence if halt else ""))
