"""Read a plan from a language model's reply: completely, or not at all.

A step is an action's name with its objects in brackets, `openit(robot, cabinet, kitchen)` or `(openit robot
cabinet kitchen)`, on its own line. Numbers, bullets, code fences and a remark after it are allowed, and so is
text before the first and after the last step. A step that the problem does not have, text between steps, or
two plans in one reply make the whole reply unreadable, and `fault` says why: what is not understood never
reaches a robot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.planning_model import Problem, Step
from core.text.untrusted_text import one_line
from core.vqa.replies.cleaning import clean_reply

MOST = 200  # steps
_MARK = re.compile(r"(?:[-*•>]\s+|\(?\d{1,3}[.):]\s*|step\s+\d{1,3}\s*[.:)]\s*)+")
_CALL = re.compile(r"([a-z][\w-]*)\s*\(([^()]*)\)")  # openit(robot, cabinet)
_LIST = re.compile(r"\(\s*([a-z][\w-]*)((?:\s+[^\s()]+)*)\s*\)")  # (openit robot cabinet)
_REMARK = re.compile(r"\s*[.,;]?\s*(?:(?:[-–—#;:→]|=>|//).*)?")
_DONE = re.compile(r"(?:\(?done\)?|nothing(?: is left)? to do)\W*")


@dataclass(frozen=True)
class PlanReading:
    """The plan read from a reply.

    `done` means that the model says nothing is left to do. `fault` says in a sentence why the reply cannot be
    read, and then there are no steps.
    """

    steps: tuple[Step, ...] = ()
    remarks: tuple[str, ...] = ()  # what is written behind each step, "" for nothing
    done: bool = False
    fault: str = ""


def read_plan(text: str, problem: Problem, names: Mapping[str, str]) -> PlanReading:
    """Read a plan. `names` are what the objects were called; their own names are understood as well."""
    clean = clean_reply(text)
    if not clean:
        return PlanReading(fault="The reply is empty, damaged or too long.")
    objects = {words.lower(): name for name, words in names.items()}
    objects |= {o.name.lower(): o.name for o in problem.all_objects}
    actions = {action.name.lower(): action.name for action in problem.domain.actions}
    steps: list[Step] = []
    remarks: list[str] = []
    ended = done = False  # other text followed a step; the model says that it is done
    for line in filter(None, map(_bare, clean.splitlines())):
        found = _parts(line)
        if found is None:
            done = done or bool(_DONE.fullmatch(line))
            ended = bool(steps)
            continue
        if ended or done:
            return PlanReading(fault="There is something else between the steps.")
        name, args, remark = found
        step = Step(actions.get(name, name), tuple(objects.get(arg, arg) for arg in args))
        if faults := problem.step_faults(step):
            return PlanReading(fault=f"{one_line(line, 100)}: {faults[0]}.")
        steps.append(step)
        remarks.append(remark)
    if len(steps) > MOST:
        return PlanReading(fault=f"There are more than {MOST} steps.")
    if not steps and not done:
        return PlanReading(fault="There is no step in the reply.")
    return PlanReading(tuple(steps), tuple(remarks), done and not steps)


def _bare(line: str) -> str:
    """Return a line without its bullet and formatting; "" for a fence."""
    line = line.replace("`", "").replace("**", "").strip()
    mark = _MARK.match(line)
    return line[mark.end() :].strip() if mark else line


def _parts(line: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return the action, its objects and the remark; None for a line that is not a step."""
    for form, between in ((_CALL, r","), (_LIST, r"\s+")):
        found = form.match(line)
        if found and _REMARK.fullmatch(line, found.end()):
            args = (arg.strip(" '\"`") for arg in re.split(between, found[2]))
            return found[1], tuple(arg for arg in args if arg), line[found.end() :].lstrip(" .,;-–—#:/=>→")
    return None
