"""Only the gate permits motions, and nobody moves a robot past it: found by reading the program itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = (
    ROOT / "main.py",
    *(p for folder in ("app", "core", "robots", "scripts") for p in sorted((ROOT / folder).rglob("*.py"))),
)
PERMIT, ISSUER = "core/permit.py", "core/loop/permit_issuer.py"
LOOP, FORK = "core/loop/gated_motion.py", "core/review/fork.py"
GUARD = "robots/remote/session_guard.py"  # of a served robot, on the permits of its console
PANEL = ("app/widgets/arm/manual_controls.py", "app/widgets/arm/recovery.py", "app/cli/arm.py")
CALLERS = {  # what makes or issues permits -> the only files that may call it, outside robots
    "Permit": {PERMIT},
    "PermitAuthority": {PERMIT},
    "PermitLedger": set(),
    "PermitIssuer": {"main.py", "core/loop/episode_loop.py"},
    "claim": {ISSUER, GUARD},
    "issue": {ISSUER, GUARD},
    "permitted_motion": {ISSUER},
    "manual_permit": {ISSUER},
    "manual_actuation": {
        "app/session_display.py",
        "app/dialogs/dialog_manager.py",
        "app/cli/arm.py",
        "scripts/scenes_of_robots.py",
    },
}
ROBOTS_OWN = {
    "Permit",
    "PermitAuthority",
    "PermitIssuer",
    "claim",
    "issue",
    "manual_permit",
    "manual_actuation",
}
PRIVATE = {"_authority": {ISSUER}, "_holder": {PERMIT}, "_issued": {PERMIT}}
MOTIONS = {  # what moves a robot -> the only files outside robots that may name it
    "look_from": {LOOP},
    "begin_jog": {PANEL[0]},
    "begin_freedrive": {PANEL[0]},
    "move_gripper": {PANEL[0], PANEL[2]},
    "activate_gripper": {PANEL[0]},
    "recover": {PANEL[1], "scripts/scenes_of_robots.py"},
    **{name: set() for name in ("move_joints", "move_line", "power", "open_permit", "permitted")},
}
NAMED = re.compile(rf"\b(?:do|restore|{'|'.join((*CALLERS, *PRIVATE, *MOTIONS))})\b")  # no fault without one
OTHER_DO = {"commands", "s", "self", "_world", "world"}  # has a `do` and is no robot: commands, a world
Found = Iterator[str]


def called(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def faults(tree: ast.AST, file: str) -> Found:
    """Yield every way around the gate."""
    in_robots = file.startswith("robots/")
    through = {  # what a person's hand is given to begin
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and called(node.func) in ("_actuate", "actuate")
        for argument in node.args
        for inner in ast.walk(argument)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = called(node.func)
            if file not in CALLERS.get(name, {file}) and (not in_robots or name in ROBOTS_OWN):
                yield f"{file}:{node.lineno} {name}(...): only the gate issues permits"
        if not isinstance(node, ast.Attribute):
            continue
        receiver = called(node.value)
        if node.attr in PRIVATE and file not in PRIVATE[node.attr] and receiver != "self":
            yield f"{file}:{node.lineno} .{node.attr} of the permits is nobody's business"
        if in_robots:
            continue
        if node.attr == "do" and receiver not in OTHER_DO and file not in (LOOP, FORK):
            yield f"{file}:{node.lineno} {receiver}.do: only the loop has a robot do a step"
        if node.attr in MOTIONS and file not in MOTIONS[node.attr]:
            yield f"{file}:{node.lineno} .{node.attr}: this moves a robot"
        elif file in PANEL and node.attr in MOTIONS and node not in through:
            yield f"{file}:{node.lineno} .{node.attr}: a person's hand goes through actuate"
        if node.attr == "restore" and receiver in ("permits", "issuer") and file != FORK:
            yield f"{file}:{node.lineno} restore: only a fork brings a world back"


def test_that_nothing_moves_past_the_gate() -> None:
    files = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PROGRAM}
    assert set().union(*CALLERS.values(), *MOTIONS.values()) <= set(files), "what may is still there"
    named = {file: code for file, code in files.items() if NAMED.search(code)}
    found = [fault for file, code in named.items() for fault in faults(ast.parse(code), file)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "file", ("app/main_window.py", "core/methods/dkprompt.py", "robots/kitchen/robot.py")
)
@pytest.mark.parametrize(
    "code",
    (
        "Permit(1, PermitKind.STEP, 'x')",
        "permit.Permit(1, PermitKind.STEP, 'x')",
        "robot.permits.claim()",
        "PermitIssuer(robot.permits, robot.embodiment)",
        "authority.issue(PermitKind.STEP, step, 0, 1, '')",
        "issuer._authority.issue(PermitKind.STEP, step, 0, 1, '')",
        "issuer.manual_permit(PermitKind.JOG, up, 'kim')",
        "robot.permits._holder['holder']",
    ),
)
def test_that_an_issuer_elsewhere_is_found(code: str, file: str) -> None:
    assert [*faults(ast.parse(code), file)]


@pytest.mark.parametrize(
    "code",
    (
        "robot.do(step, permit, cancel)",
        "run = components.robot.do",
        "robot.look_from('left', permit, cancel)",
        "robot.begin_jog(up, permit)",
        "begin = partial(robot.recover, way)",
        "robot.arm.move_joints(goal, cancel)",
        "components.permits.restore(step)",
    ),
)
def test_that_a_motion_elsewhere_is_found(code: str) -> None:
    assert [*faults(ast.parse(code), "app/main_window.py")]


def test_that_a_panel_begins_a_motion_only_through_a_persons_hand() -> None:
    assert [*faults(ast.parse("robot.begin_jog(up, permit)"), PANEL[0])]
    assert not [*faults(ast.parse("self._actuate(kind, up, partial(robot.begin_jog, up))"), PANEL[0])]
