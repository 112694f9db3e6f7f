"""From words to a wish: what a model is asked, and how its replies are read. Pure but for the sandbox.

First the steps, then tests of the end, then of each place and pour. A reply that cannot be used is asked
for again, at most twice, with the reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from string import Template
from textwrap import dedent
from typing import TypeVar

from pydantic import RootModel

from core.data_file import load_toml
from core.domains import DomainSpec
from core.errors import BadValue
from core.install_paths import resource_path
from core.methods.plan_reader import read_plan
from core.motion.frames import scene_bodies
from core.planning_model import Literal, Problem, Step
from core.ports import ChatMessage
from core.scene import Scene, SceneThing
from core.text.untrusted_text import one_line
from core.wish import Wish
from core.wishes.confinement import WrittenTest, confinement, helper_docs, read_test
from core.wishes.english import TABLE
from core.work import combinations

REPAIRS, MOST_STEPS, MOST_TESTS, MOST_CHARS = 2, 40, 16, 40_000
TESTED = ("place_ontop", "place_upon", "place_inside", "pour")
GOALS = ("on", "inside", "poured")
_CODE = re.compile(r"```(?:python|py)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_NO_TEST = re.compile(r"\W*none\b|.{0,200}\bnone\W*$", re.IGNORECASE | re.DOTALL)
_TEST = re.compile(r"goal_check|test")
_BARE_CODE = re.compile(r"^def .+(?:\n(?:[ \t].*)?)*", re.MULTILINE)  # outside a block
_MARKS = re.compile(r"^[\s*`>•|#-]*(?:\d{1,2}\s*[.)|]\s*)?[*`\s]*")  # of a list, a table, a heading, or bold
_REFUSED = re.compile(r"\s*not (?:possible|understood)\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_PLAN = re.compile(
    r"^(?:[^();\n]{0,60}\bplan[*_` ]*:|\W*(?:(?:the|my|final|partial) )*plan\W*$)[*_`]*",
    re.MULTILINE | re.IGNORECASE,
)
_STEP = re.compile(r"^\W*\d*\W*(?:pick|place_\w+|pour)\b", re.MULTILINE | re.IGNORECASE)
_GOAL = re.compile(r"(?:final )?goals?(?: facts?| literals?| state)?\W*?(?::|$)", re.IGNORECASE)
_FACT = re.compile(r"(\w*)\s*\(([^()]*)\)")
T = TypeVar("T")


class Refused(BadValue):
    """The model says that the wish is not possible, or not understood: it is not asked again."""


@dataclass(frozen=True)
class Brief:
    """What a wish is about."""

    words: str
    domain_spec: DomainSpec
    problem: Problem
    scene: Scene

    @property
    def things(self) -> tuple[SceneThing, ...]:
        known = {o.name for o in self.problem.all_objects}
        return tuple(thing for thing in self.scene.things if thing.name in known)


@dataclass(frozen=True)
class Request:
    """One call to a model. `purpose` begins with "wish"."""

    purpose: str
    messages: tuple[ChatMessage, ...]


@dataclass(frozen=True)
class PartialPlan:
    steps: tuple[Step, ...]
    descriptions: tuple[str, ...]
    goal: tuple[Literal, ...]
    end: str  # what is to be so at the end, in words


Authoring = Generator["Request | Wish", str, None]


class _Prompts(RootModel[dict[str, str]]):
    pass


def write_wish(brief: Brief) -> Authoring:
    """Yield requests, each of which takes its reply, and the wish, which takes why no plan was found for it.

    Raises BadValue, Refused, and MissingPackage without the sandbox.
    """
    schemas, actions = _actions_text(brief)
    asked = _text(
        "plan",
        words=brief.words,
        facts="\n".join(str(atom) for atom in sorted(brief.problem.state)),
        things=_things_text(brief),
        schemas=schemas,
        actions=actions,
        goal_facts=", ".join(f"{name}(...)" for name in GOALS),
    )
    messages, reason = [ChatMessage("user", asked)], ""
    for _ in range(REPAIRS + 1):
        plan = yield from _asked("plan", messages, lambda reply: read_partial_plan(reply, brief))
        reason = yield (yield from _tested(brief, plan, reason))
        messages.append(ChatMessage("user", _text("repair", why=f"No motions were found. {reason}")))
    raise BadValue(f"The wish was mended {REPAIRS} times, and no motions were found. {reason}")


def _tested(brief: Brief, plan: PartialPlan, earlier: str) -> Generator[Request, str, Wish]:
    """Ask for the tests of the end and of each step that puts something somewhere."""
    steps = tuple(zip(plan.steps, plan.descriptions, strict=True))
    context = _text(
        "context",
        words=brief.words,
        plan="\n".join(f"{number}. {_of(step)}; {said}" for number, (step, said) in enumerate(steps)),
        things=_things_text(brief),
        earlier=_text("earlier", reason=earlier) if earlier else "",
    )
    helpers = "\n".join(f"{name}{doc}" for name, doc in helper_docs().items())
    shared = {"context": context, "form": _text("form", helpers=helpers)}
    text = _text("goal", description=plan.end or brief.words, **shared)
    ends = yield from _asked("goal", [ChatMessage("user", text)], lambda reply: read_tests(reply, brief))
    tests, known = {}, "\n\n".join(test.source for test in ends)
    for number, (step, said) in enumerate(steps):
        if step.name not in TESTED:
            continue
        told = {"number": str(number), "step": _of(step), "description": said, "known": known}

        def read(reply: str, subject: str = step.args[0]) -> tuple[WrittenTest, ...]:
            return read_tests(reply, brief, subject)

        text = _text("step", **told, **shared)
        if found := (yield from _asked(f"step {number}", [ChatMessage("user", text)], read)):
            tests[number] = found
    return Wish(brief.words, plan.steps, plan.goal, tests, ends, plan.descriptions)


def _asked(purpose: str, messages: list[ChatMessage], read: Callable[[str], T]) -> Generator[Request, str, T]:
    """Ask until a reply can be read. The replies and what is wrong with them become part of the messages."""
    version = _texts()["version"]
    for repairs in range(REPAIRS + 1):
        reply = yield Request(f"wish {purpose}, prompts {version}", tuple(messages))
        messages.append(ChatMessage("assistant", reply))
        try:
            return read(reply)
        except Refused:
            raise
        except BadValue as fault:
            why = str(fault)
            if repairs == REPAIRS:
                raise BadValue(f"The reply cannot be used, {REPAIRS} times mended: {why}") from None
            messages.append(ChatMessage("user", _text("repair", why=why)))
    raise AssertionError


def after(authoring: Authoring, answers: Iterable[str]) -> Request | Wish:
    """Return what comes after these replies, and reasons why a wish has no plan. Raises as `write_wish`."""
    latest = next(authoring)
    for answer in answers:
        latest = authoring.send(answer)
    return latest


def reading_of(purpose: str, reply: str, brief: Brief) -> str:
    """Return how a reply is understood, for people and the log; "" if it cannot be used. Runs no test."""
    try:
        if purpose.startswith("wish plan"):
            plan = read_partial_plan(reply, brief)
            return "; ".join(f"{_of(s)}, {d}" for s, d in zip(plan.steps, plan.descriptions, strict=True))
        return ", ".join(re.findall(r"^def (\w+)", _whole(reply), re.MULTILINE)) or "no test is needed"
    except BadValue:
        return ""


# --- reading replies ---------------------------------------------------------------------------------------


def _whole(reply: str) -> str:
    """Return a reply without its thoughts. Raises BadValue, Refused."""
    text = reply.rpartition("</think>")[2].replace("\r", "")
    if len(text) > MOST_CHARS:
        raise BadValue(f"The reply is longer than {MOST_CHARS} characters.")
    if not text.strip():
        raise BadValue("The reply is empty.")
    if refused := _REFUSED.match(text):
        raise Refused(f"The wish is not possible or not understood: {one_line(refused[1], 300)}")
    return text


def read_partial_plan(reply: str, brief: Brief) -> PartialPlan:
    """Read the steps, with what is to be so after each, and the goal. Raises BadValue."""
    before, *plans = _PLAN.split(_whole(reply))
    if any(_STEP.search(plan) for plan in plans[:-1]):
        raise BadValue("There are two plans in the reply: write one.")
    lines, goal, end, facts = list[str](), list[Literal](), "", False
    for line in ("\n".join((before, *plans[-1:]))).splitlines():
        bare = _MARKS.sub("", line).rstrip(" `*|").replace("|", ";")
        if (heading := _GOAL.match(bare)) or (facts and _are_facts(bare)):
            facts = True
            goal += _facts(bare[heading.end() :] if heading else bare, brief.problem)
        elif bare.lower().lstrip("(").startswith("achieve_goal"):
            end = bare.partition(";")[2].strip()
        else:
            facts = facts and not bare
            told = bool(lines) and bool(_STEP.match(lines[-1])) and lines[-1].endswith(")")
            if told and line.startswith((" ", "\t")) and not _STEP.match(bare):
                lines[-1] += f"; {bare}"  # the sentence of a step, below it
            else:
                lines.append(bare)
    reading = read_plan("\n".join(lines), brief.problem, {TABLE: "table"})
    if reading.fault or not reading.steps:
        raise BadValue(reading.fault or "There is no step in the reply.")
    if len(reading.steps) > MOST_STEPS:
        raise BadValue(f"There are more than {MOST_STEPS} steps.")
    for step, following in zip(reading.steps, reading.steps[1:], strict=False):
        if step == following:
            raise BadValue(f"The step {_of(step)} stands twice, one after the other.")
    if never := next((s for s in reading.steps if s.name != "pick" and s.args[0] == s.args[-1]), None):
        raise BadValue(f"The step {_of(never)} puts a thing onto itself.")
    return PartialPlan(reading.steps, tuple(one_line(r, 400) for r in reading.remarks), tuple(goal), end)


def _are_facts(line: str) -> bool:
    """Return True if a line holds facts and nothing else."""
    rest = re.sub(r"\band\b", "", _FACT.sub("", line), flags=re.IGNORECASE)
    return "(" in line and not _STEP.match(line) and not re.search(r"\w", rest)


def _facts(text: str, problem: Problem) -> Iterator[Literal]:
    """Yield the facts of a text, on(a, b) or (on a b), but for that the hand is empty. Raises BadValue."""
    known = {predicate.name for predicate in problem.domain.predicates}
    for name, inside in _FACT.findall(text):
        first, *rest = re.split(r"[\s,]+", inside.strip())
        if name not in known and first in known:
            name, inside = first, ",".join(rest)
        if name != "handempty" and name:
            yield _literal(name, inside, problem)


def _literal(name: str, args: str, problem: Problem) -> Literal:
    said = [a.strip(" '\"`") for a in args.split(",")]
    given = tuple(TABLE if a == "table" else a for a in said if a)
    types = {o.name: o.type for o in problem.all_objects}
    kinds = next((p.parameters for p in problem.domain.predicates if p.name == name), ())
    fits = len(kinds) == len(given) and all(
        arg in types and problem.domain.is_a(types[arg], kind.type)
        for arg, kind in zip(given, kinds, strict=True)
    )
    if name not in GOALS or not fits:
        raise BadValue(f"The goal names {one_line(f'{name}({args})', 80)}, which is no fact of these things.")
    return Literal(name, given)


def code_of(reply: str) -> list[str]:
    """Return the blocks of Python in a reply, or the functions outside of any."""
    return [dedent(block).strip() for block in _CODE.findall(reply)] or _BARE_CODE.findall(reply)


def read_tests(reply: str, brief: Brief, subject: str = "") -> tuple[WrittenTest, ...]:
    """Read tests and run each twice on the scene. `subject` is what the step puts somewhere, "" at the end.

    Raises BadValue, and MissingPackage without the sandbox.
    """
    text, names = _whole(reply), [thing.name for thing in brief.things]
    blocks = code_of(text)
    if subject and not any("def " in block for block in blocks) and _NO_TEST.match(text):
        return ()
    if not any(re.search(r"^def ", block, re.MULTILINE) for block in blocks):
        raise BadValue("There is no test in the reply: write Python in a code block.")
    tests = list[WrittenTest]()
    bodies = {name: body for name, body in scene_bodies(brief.scene).items() if name in names}
    for source in _apart("\n\n".join(blocks)):
        test = read_test(source, names, subject)
        confinement().admit(test, bodies)
        tests.append(test)
    if not tests:
        raise BadValue("No function of the reply is a test: name it goal_check0.")
    if len(tests) > MOST_TESTS:
        raise BadValue(f"There are more than {MOST_TESTS} tests.")
    return tuple(tests)


def _apart(source: str) -> Iterator[str]:
    """Yield the source of each test, with what all of them call: imports, values, and other functions.

    Tests are named goal_check or test; where none is, they are the functions that no other one calls.
    """
    try:
        parts = ast.parse(source).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        read_test(source, ())  # says where
        return
    functions = [part for part in parts if isinstance(part, ast.FunctionDef)]
    called = {node.id for node in ast.walk(ast.Module(parts, [])) if isinstance(node, ast.Name)}
    tests = [one for one in functions if _TEST.match(one.name)] or [
        one for one in functions if one.name not in called
    ]
    names = {one.name for one in tests}
    shared = [
        ast.get_source_segment(source, part) or ""
        for part in parts
        if part not in tests
        and isinstance(
            part, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.ClassDef
        )
        and names.isdisjoint(node.id for node in ast.walk(part) if isinstance(node, ast.Name))
    ]
    for test in tests:
        yield "\n".join((*shared, ast.get_source_segment(source, test) or "", ""))


# --- the texts of the prompts ------------------------------------------------------------------------------


def _texts() -> dict[str, str]:
    return load_toml(resource_path("resources", "wishes", "prompts.toml"), _Prompts).root


def _text(name: str, **values: str) -> str:
    return Template(_texts()[name].removeprefix("\n")).substitute(values)


def _of(step: Step) -> str:
    return f"{step.name}({', '.join(step.args)})"


def _things_text(brief: Brief) -> str:
    return "\n".join(map(_thing_text, brief.things))


def _thing_text(thing: SceneThing) -> str:
    x, y, z, roll, pitch, yaw = thing.pose
    size = " x ".join(f"{2 * half:.3f}" for half in thing.half)
    kinds = ", ".join((thing.shape, *thing.categories))
    angles = f", roll {roll:.2f}, pitch {pitch:.2f}, yaw {yaw:.2f}"
    return f"{thing.name} ({kinds}): x {x:.3f}, y {y:.3f}, z {z:.3f}{angles}; {size}"


def _actions_text(brief: Brief) -> tuple[str, str]:
    """Return the schemas in words, and all steps that they allow."""
    problem, known = brief.problem, {thing.name for thing in brief.things}
    schemas, steps = [], list[str]()
    for action in problem.domain.actions:
        if action.name not in ("pick", *TESTED):
            continue
        names = tuple(p.name.lstrip("?") for p in action.parameters)
        schemas.append(
            f"{_of(Step(action.name, names))}: {brief.domain_spec.describe_step(Step(action.name, names))}"
        )
        for args in combinations(problem.of_type(p.type) for p in action.parameters):
            if len(set(args)) == len(args) and known.issuperset(args):
                steps.append(_of(Step(action.name, args)))
    return "\n".join(schemas), "\n".join(steps)
