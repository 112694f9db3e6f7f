"""Check what only a real installation can show: start it, do each thing once, write down what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

from core.arm.arm_capabilities import PreflightCheck
from core.errors import RobotError
from core.text.untrusted_text import one_line
from robots.omnigibson.options import OmniGibsonOptions, interpreter
from robots.omnigibson.worker_session import WorkerSession, WorkerStart, load

ACTIVITY = "boil_water_in_the_microwave"
MUG, CABINET, SINK, OVEN = "mug.n.04_1", "cabinet.n.01_1", "sink.n.01_1", "microwave.n.02_1"
WATER, COOKED = "water.n.06_1", "cooked__water.n.01_1"
_HEAT_STEPS, _CHUNK = 1200, 60
_END_TIMEOUT = 60.0  # seconds
_LAST_LINES = 10

Trial = Callable[[WorkerSession], str]


class UnexpectedResult(Exception):
    """What came was not what should; the message says what came."""


def full_check(options: OmniGibsonOptions, notify: Callable[[str], None]) -> tuple[PreflightCheck, ...]:
    """Start OmniGibson, and try everything that the household needs of it. Takes minutes."""
    return tuple(_checks(options, notify))


def _checks(options: OmniGibsonOptions, notify: Callable[[str], None]) -> Iterator[PreflightCheck]:
    session = WorkerSession(WorkerStart(interpreter(options), not options.window), notify)
    patience = 0.0  # what was broken off is ended at once
    try:
        yield from _tried(session, options, notify)
        patience = _END_TIMEOUT
    finally:
        began = monotonic()
        session.close(patience)
    yield PreflightCheck(f"end: after {monotonic() - began:.1f} s", True)
    if session.lines:
        yield PreflightCheck(f"what it printed last: {' / '.join(session.lines[-_LAST_LINES:])}", True)


def _tried(
    session: WorkerSession, options: OmniGibsonOptions, notify: Callable[[str], None]
) -> Iterator[PreflightCheck]:
    for name, trial in _trials(options):
        notify(name)
        began = monotonic()
        try:
            said = trial(session)
        except (RobotError, UnexpectedResult) as error:
            yield PreflightCheck(name, False, one_line(error), "send this report back")
            if name in ("start", "load"):
                return
            continue
        yield PreflightCheck(f"{name}: {one_line(said)} ({monotonic() - began:.1f} s)", True)


def _trials(options: OmniGibsonOptions) -> tuple[tuple[str, Trial], ...]:
    def loaded(session: WorkerSession) -> str:
        found = load(session, ACTIVITY, options)
        api = f"{found['api']}{', inferred' if found['inferred'] else ''}"
        return f"OmniGibson {found['omnigibson']}, API {api}, {found['scene']}, {found['eye']}"

    return (
        ("start", _start),
        ("load", loaded),
        ("reset", _reset),
        ("picture of the eye", _picture("eye")),
        ("picture of the viewer's camera", _picture("viewer")),
        ("the mug is inside the cabinet", _expect("Inside", MUG, CABINET)),
        ("open the cabinet", _door(True)),
        ("close the cabinet", _door(False)),
        ("open it again", _door(True)),
        ("the map around the sink", _map),
        ("the head tilts", lambda s: "yes" if s.call("aim", tilt=0.4) else "no, this robot's head is fixed"),
        ("hold the mug by a joint", _hold),
        ("hold it through 60 steps", _still_held),
        ("take it along", _take_along),
        ("let it go", lambda s: _want(s.call("detach") == "", "it is still held")),
        ("put the mug into the sink", _put("OnTop", SINK)),
        ("fill it", _fill),
        ("empty it", _empty),
        ("put it into the microwave", _put("Inside", OVEN)),
        ("boil water in it", _boil),
        ("the activity's own goal", lambda s: _want(s.call("goal"), "OmniGibson does not count it as met")),
    )


def _want(holds: object, otherwise: str, said: str = "yes") -> str:
    if not holds:
        raise UnexpectedResult(otherwise)
    return said


def _start(session: WorkerSession) -> str:
    session.open()
    return "the worker has called back"


def _reset(session: WorkerSession) -> str:
    session.call("reset")
    return "done"


def _picture(camera: str) -> Trial:
    def trial(session: WorkerSession) -> str:
        shown, raw = session.call_for_picture("look", camera=camera, picture=True)
        _want(shown, "there is no such camera")
        step = shown["channels"] * 97
        colours = {raw[at : at + 3] for at in range(0, len(raw), step)}
        _want(len(colours) > 1, "the picture is all one colour")
        seen = (
            "" if shown["seen"] is None else f", shows {', '.join(sorted(shown['seen'])) or 'nothing named'}"
        )
        return f"{shown['width']} x {shown['height']} x {shown['channels']}{seen}"

    return trial


def _state(session: WorkerSession, *asked: str) -> object:
    return session.call("states", asked=[list(asked)])[0]


def _expect(*asked: str) -> Trial:
    return lambda s: _want(_state(s, *asked), f"{' '.join(asked)} is {_state(s, *asked)}")


def _door(is_open: bool) -> Trial:
    def trial(session: WorkerSession) -> str:
        _want(session.call("set_state", name=CABINET, state="Open", value=is_open), "the door did not move")
        session.call("step", count=10)
        return _want(_state(session, "Open", CABINET) is is_open, "it moved back within 10 steps")

    return trial


def _map(session: WorkerSession) -> str:
    x, y, _ = session.call("poses", names=[SINK])[SINK]["position"]
    points = [[x + dx * 0.5, y + dy * 0.5] for dx in range(-4, 5) for dy in range(-4, 5)]
    found = session.call("spots", points=points)
    free = sum(clear for clear, _ in found)
    return _want(
        free,
        "no free place within 2 m",
        f"{free} of 81 places are free, rooms {sorted({r for _, r in found})}",
    )


def _hold(session: WorkerSession) -> str:
    held = session.call("attach", name=MUG, may_park=True)
    _want(held["held"] == MUG, "nothing is held")
    return _want(held["joint"], "OmniGibson made no joint; it is held without one")


def _still_held(session: WorkerSession) -> str:
    session.call("step", count=60)
    return _want(session.call("held") == MUG, "the physics has let it go")


def _take_along(session: WorkerSession) -> str:
    pose = session.call("robot_pose")
    x, y, z = pose["position"]
    session.call("teleport_base", position=[x + 0.3, y, z], orientation=pose["orientation"])
    session.call("step", count=10)
    hand, mug = session.call("robot_pose")["hand"], session.call("poses", names=[MUG])[MUG]["position"]
    apart = sum((a - b) ** 2 for a, b in zip(hand, mug, strict=True)) ** 0.5
    return _want(apart < 0.3, f"the mug is {apart:.2f} m from the hand", f"{apart:.2f} m from the hand")


def _put(relation: str, other: str) -> Trial:
    def trial(session: WorkerSession) -> str:
        _want(session.call("sample", name=MUG, relation=relation, other=other), "OmniGibson found no room")
        session.call("step", count=30)
        return _want(_state(session, relation, MUG, other), "it was there, and is not after 30 steps")

    return trial


def _fill(session: WorkerSession) -> str:
    session.call("fill", name=MUG, liquid=WATER)
    session.call("step", count=30)
    return _want(_state(session, "Filled", MUG, WATER), "too little is in it after 30 steps")


def _empty(session: WorkerSession) -> str:
    session.call("empty", name=MUG, liquid=WATER)
    session.call("step", count=5)
    return _want(not _state(session, "Filled", MUG, WATER), "it is still full")


def _boil(session: WorkerSession) -> str:
    _fill(session)
    session.call("set_state", name=OVEN, state="ToggledOn", value=True)
    for steps in range(_CHUNK, _HEAT_STEPS + 1, _CHUNK):
        session.call("step", count=_CHUNK)
        if _state(session, "Filled", MUG, COOKED):
            return f"after {steps} steps"
    raise UnexpectedResult(f"it has not boiled in {_HEAT_STEPS} steps")
