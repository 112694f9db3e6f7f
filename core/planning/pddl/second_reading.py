"""Read PDDL a second time, with tarski, and tell where the two readings differ. Loads tarski when called."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

from core.errors import ConsoleError
from core.planning import semantics
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning_model import Problem, Step
from core.text.untrusted_text import one_line

MAX_BYTES = 200_000  # of both files; tarski takes seconds for it
_DRAWS = 20  # steps of each action that are tried in the initial state


class Unread(Exception):
    """tarski cannot read it; the text says why."""


def differences(domain_file: Path, problem_file: Path, ours: Problem) -> Iterator[str]:
    """Yield in words what tarski reads differently from `ours`, which was read from these files.

    Compared are the parts, by name, and what the formulas without quantifiers mean: whether steps drawn at
    random, always the same ones, can be done in the initial state. Raises Unread.
    """
    if sum(file.stat().st_size for file in (domain_file, problem_file)) > MAX_BYTES:
        raise Unread(f"the files have more than {MAX_BYTES // 1000} kB")
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):  # its parser writes there
            read, theirs = _read_by_tarski(domain_file, problem_file)
            can = [_can_be_done(read, step) for step in _steps(ours)]
    except ConsoleError as error:
        raise Unread(f"what it writes is no PDDL to us: {one_line(str(error), 120)}") from None
    except Exception as error:  # its own, its parser's, and whatever else a file provokes
        raise Unread(one_line(str(error) or type(error).__name__, 120)) from None
    their_parts = _parts(theirs)
    for kind, mine in _parts(ours).items():
        other = their_parts[kind]
        for name in sorted(mine.keys() | other.keys()):
            if mine.get(name) != other.get(name):
                yield f"the {kind} {name}"
    for step, theirs_can in zip(_steps(ours), can, strict=True):
        if theirs_can is not None and theirs_can != semantics.is_applicable(ours, ours.state, step):
            yield f"whether {step} can be done in the initial state"


def _read_by_tarski(domain_file: Path, problem_file: Path) -> tuple[Any, Problem]:
    """Return tarski's own value, and the same as ours: what tarski writes of it, read by our reader."""
    from tarski.evaluators.simple import evaluate
    from tarski.io import FstripsWriter, PDDLReader

    reader = PDDLReader(raise_on_error=True)
    reader.parse_domain(str(domain_file))
    reader.parse_instance(str(problem_file))
    read = reader.problem
    read.init.evaluator = evaluate
    writer = FstripsWriter(read)
    domain = parse_domain(writer.print_domain(), domain_file)
    return read, parse_problem(writer.print_instance(), domain, problem_file)


def _parts(problem: Problem) -> Mapping[str, Mapping[str, object]]:
    """Return what the problem consists of, by kind and name, whatever its order in the file."""
    domain = problem.domain
    return {
        "type": {f"{t.name} - {t.type}": True for t in domain.types},
        "predicate": {p.name: [v.type for v in p.parameters] for p in domain.predicates},
        "action": {
            a.name: (
                a.parameters,
                {str(part) for part in (*a.precondition, *a.formulas)},
                {repr(effect) for effect in a.effects},
            )
            for a in domain.actions
        },
        "object": {o.name: o.type for o in problem.all_objects},
        "fact": {str(atom): True for atom in problem.state},
        "goal": {str(part): True for part in (*problem.goal, *problem.goal_formulas)},
    }


def _steps(problem: Problem) -> Iterator[Step]:
    """Yield steps of each action, always the same ones."""
    draw = Random(0)
    for action in problem.domain.actions:
        choices = [problem.of_type(parameter.type) for parameter in action.parameters]
        for _ in range(_DRAWS if all(choices) else 0):
            yield Step(action.name, tuple(map(draw.choice, choices)))


def _can_be_done(read: Any, step: Step) -> bool | None:
    """Return whether tarski finds the step possible in the initial state, None if it cannot tell."""
    from tarski.syntax.transform.substitutions import create_substitution, substitute_expression

    action = read.get_action(step.name)
    things = [read.language.get(name) for name in step.args]
    given = create_substitution(list(action.parameters.vars()), things)
    try:
        return bool(read.init[substitute_expression(action.precondition, given)])
    except NotImplementedError:  # it reads quantifiers, but does not evaluate them
        return None
