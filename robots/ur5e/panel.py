"""The arm's side of a panel (`core.arm_capabilities`): nothing blocks, a helper does what takes long."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from time import monotonic

from core.arm_capabilities import (
    ArmStatus,
    GripperStatus,
    JogCommand,
    PreflightCheck,
    RecoveryState,
    RecoveryStep,
)
from core.errors import RobotError
from robots.ur5e import preflight
from robots.ur5e.arm import Arm
from robots.ur5e.gripper import CLOSED, FAULTS, STROKE, Gripper, GripperState, Held
from robots.ur5e.modes import MOVABLE, ROBOT_WORDS, SAFETY_WORDS, RobotMode
from robots.ur5e.recovery import Recovery, Stage
from robots.ur5e.turn import GRIPPER

TORQUE = (150.0, 150.0, 150.0, 28.0, 28.0, 28.0)  # Nm that the joints can at most, as published
_POLL = 0.5  # seconds between two looks at what answers slowly
_WATCHED = 3.0  # seconds that it goes on being asked after a panel has looked
_UNASKED = PreflightCheck("remote control", False, "the controller has not been asked yet", "wait a moment")


class ArmPanel:
    """Jog, Freedrive, Gripper, Preflight, Recovery, Status and SpeedSlider of one UR5e.

    All of it from one thread, the panel's; `close` from the one that owns the arm.
    """

    def __init__(self, arm: Arm, gripper: Gripper) -> None:
        self._arm, self._gripper = arm, gripper
        self._wizard = Recovery(arm)
        self._remote = _UNASKED
        self._hand: GripperStatus | None = None
        self._hand_trouble = ""
        self._failed = ""  # of the last step of recovery
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._busy = False
        self._looked = 0.0
        self._closing = Event()
        self._helper: Thread | None = None

    # --- what is seen --------------------------------------------------------------------------------------

    @property
    def status(self) -> ArmStatus:
        self._watch()
        state, arm = self._arm.state, self._arm
        if state is None:
            return _nothing(arm.receiver.why)
        return ArmStatus(
            ROBOT_WORDS[state.robot],
            SAFETY_WORDS[state.safety],
            state.runtime.name.lower(),
            state.q,
            state.tool,
            state.slider,
            state.payload,
            arm.receiver.age,
            not state.standing,
            state.safety in MOVABLE,
            tuple(t / most for t, most in zip(state.torque, TORQUE, strict=True)),
            state.celsius,
            arm.turn.who,
            arm.trouble or self._hand_trouble,
        )

    @property
    def gripper_status(self) -> GripperStatus | None:
        self._watch()
        return self._hand

    def preflight(self) -> tuple[PreflightCheck, ...]:
        self._watch()
        arm, age = self._arm, self.picture_age
        return (
            *arm.checks(self._remote),
            preflight.control(arm.enabled, arm.latch.halted),
            preflight.gripper(self._hand is not None, self._hand_trouble),
            *((preflight.camera(age),) if age is not None else ()),
        )

    @property
    def picture_age(self) -> float | None:
        """Seconds since the picture was taken by which a person moves it; None: nobody looks at one."""
        return None

    def _not_from_here(self) -> str:
        """Why nobody moves it by hand from here: the pendant has it, or it cannot be seen."""
        age = self.picture_age
        checks = (self._remote, *((preflight.camera(age),) if age is not None else ()))
        return next((f"{c.reason}: {c.remedy}" for c in checks if not c.ok), "")

    # --- by hand -------------------------------------------------------------------------------------------

    def begin_jog(self, jogging: JogCommand) -> str:
        return self._not_from_here() or self._arm.by_hand.begin_jog(jogging)

    def keep_jog_alive(self) -> str:
        if why := self._not_from_here():
            self.end_jog()
            return why
        return self._arm.by_hand.keep_jog_alive()

    def end_jog(self) -> None:
        self._arm.by_hand.end_jog()

    def begin_freedrive(self, by: str) -> str:
        if not self._remote.ok:
            return f"{self._remote.reason}: {self._remote.remedy}"
        return self._arm.by_hand.begin_freedrive(by)

    def keep_freedrive_alive(self) -> str:
        return self._arm.by_hand.keep_freedrive_alive()

    def end_freedrive(self) -> None:
        self._arm.by_hand.end_freedrive()

    def set_speed(self, fraction: float) -> str:
        try:
            self._arm.by_hand.set_slider(fraction)
        except RobotError as error:
            return str(error)
        return ""

    # --- the gripper ---------------------------------------------------------------------------------------

    def move_gripper(self, opening: float, speed: float = 1.0, force: float = 0.25) -> str:
        position = round(CLOSED * (1 - min(STROKE, max(0.0, opening)) / STROKE))

        def go(stopped: Callable[[], bool]) -> None:
            self._gripper.move(position, round(255 * speed), round(255 * force), stopped)

        return self._by_hand(go)

    def activate_gripper(self, by: str) -> str:
        if not by:
            return "only a person may activate it: say who"
        return self._by_hand(self._gripper.activate)

    def _by_hand(self, motion: Callable[[Callable[[], bool]], None]) -> str:
        """The gripper moves with the arm's latch and turn, like everything that moves. What was asked for
        before a stop is not made up for after its release."""
        arm, known = self._arm, self._arm.link.last_stop
        stopped = lambda: arm.latch.halted or arm.link.last_stop > known  # noqa: E731
        if not self._remote.ok:
            return f"{self._remote.reason}: {self._remote.remedy}"
        if arm.latch.halted:
            return arm.trouble or "a stop is in force: release it first"
        if other := ("a step of recovery" if self._busy else arm.turn.take(GRIPPER)):
            return f"the arm is in use ({other}): wait for its end"

        def go() -> None:
            try:
                if not stopped():  # while the helper had something else to do
                    motion(stopped)
                    self._hand_trouble = ""
            except RobotError as error:
                self._hand_trouble = str(error)
            finally:
                arm.turn.give_back(GRIPPER)

        self._do(go)
        return ""

    # --- recovery ------------------------------------------------------------------------------------------

    @property
    def recovery(self) -> RecoveryState:
        self._watch()
        state, stage = self._arm.state, self._wizard.stage
        if state is None:
            return RecoveryState("no data from the controller", failure=self._failed, busy=self._busy)
        words, way, wait = stage.value, None, 0.0
        match stage:
            case Stage.INSPECT:
                way = RecoveryStep.ACKNOWLEDGE
            case Stage.WAIT | Stage.UNLOCK:
                way, wait = RecoveryStep.UNLOCK, self._wizard.left
            case Stage.ELSEWHERE:
                check = preflight.safety(state.safety)
                words = f"{check.reason}: {check.remedy}"
            case Stage.NOTHING if state.robot is RobotMode.POWER_OFF:
                words, way = "the arm is powered off", RecoveryStep.POWER_ON
            case Stage.NOTHING if state.robot is RobotMode.IDLE:
                words, way = "the brakes are on", RecoveryStep.RELEASE_BRAKES
            case Stage.NOTHING if state.robot is not RobotMode.RUNNING:
                words = f"the arm is {ROBOT_WORDS[state.robot]}"
            case Stage.NOTHING if not self._arm.enabled and not self._arm.latch.halted:
                words, way = (
                    "the control program does not run; nothing moves by starting it",
                    RecoveryStep.READY,
                )
        return RecoveryState(words, way, wait, self._busy, self._failed, stage is Stage.ELSEWHERE)

    def recover(self, way: RecoveryStep, by: str) -> str:
        now = self.recovery
        if not by:
            return "only a person may do this: say who"
        if now.busy:
            return "a step is under way: wait for its end"
        if way is not now.next_step:
            return f"not now: {now.message}"
        if now.wait_seconds > 0:
            return f"the controller allows it in {now.wait_seconds:.0f} s"
        self._failed = ""
        match way:
            case RecoveryStep.ACKNOWLEDGE:
                self._wizard.inspected(by)
            case RecoveryStep.UNLOCK:
                self._step(self._wizard.unlock)
            case RecoveryStep.POWER_ON:
                self._step(lambda: self._arm.switch_on(by))
            case RecoveryStep.RELEASE_BRAKES:
                self._step(lambda: self._arm.release_brakes(by))
            case RecoveryStep.READY:
                self._step(lambda: self._arm.release_stop(0))
        return ""

    def _step(self, step: Callable[[], None]) -> None:
        def go() -> None:
            try:
                step()
            except RobotError as error:
                self._failed = str(error)

        self._do(go)

    # --- the helper ----------------------------------------------------------------------------------------

    def close_panel(self) -> None:
        """Nothing more is asked or done from here. Idempotent."""
        self.end_jog()
        self.end_freedrive()
        self._closing.set()

    def _watch(self) -> None:
        """Somebody looks: ask what answers slowly, for a while."""
        self._looked = monotonic()
        if self._helper is None or not self._helper.is_alive():
            self._helper = Thread(target=self._help, daemon=True)
            self._helper.start()

    def _do(self, job: Callable[[], None]) -> None:
        self._busy = True
        self._jobs.put(job)
        self._watch()

    def _help(self) -> None:
        while not self._closing.is_set() and monotonic() - self._looked < _WATCHED:
            try:
                job = self._jobs.get(timeout=_POLL if self._remote is not _UNASKED else 0.001)
            except Empty:
                self._ask()
                continue
            try:
                job()
            finally:
                self._busy = not self._jobs.empty()
            self._ask()

    def _ask(self) -> None:
        self._remote = self._arm.remote()
        try:
            self._hand = hand_of(self._gripper.state())
            self._hand_trouble = self._hand.fault
        except RobotError as error:
            self._hand, self._hand_trouble = None, str(error)


def hand_of(state: GripperState) -> GripperStatus:
    """The gripper's own numbers in metres and words."""
    fault = FAULTS.get(state.fault, f"fault {state.fault}") if state.fault else ""
    if not state.active and not fault:
        fault = "it is not activated"
    return GripperStatus(state.opening, STROKE, state.active, state.held is Held.MOVING, state.holding, fault)


def _nothing(why: str) -> ArmStatus:
    still = (0.0,) * 6
    return ArmStatus(
        "not known", "not known", "", still, still, 0.0, 0.0, float("inf"), False, False, last_error=why
    )
