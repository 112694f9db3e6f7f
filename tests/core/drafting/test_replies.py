"""A reply is data: it is read, or refused in a sentence with a line, and nothing of it is run."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from core.drafting.replies import BadReply, DomainParts, find_pddl, read_plan, read_steps
from core.drafting.screening import screen
from core.planning.pddl.reader import parse_domain
from core.planning.pddl.writer import write_problem
from tests.core.drafting.known import calls, right

GAME, _, PROBLEM = right("package")
DAMAGED = 200  # of each kind; ten times as many are read as well
WHOLE = f"Here it is.\n```python\n{calls(GAME.reference)}\n```\n"
EVIL = "__import__('pathlib').Path({!r}).touch()"


def read(reply: str) -> str:
    return DomainParts().updated(reply, GAME.template).text(GAME.template)


def test_that_calls_in_prose_give_the_domain() -> None:
    domain = parse_domain(read(WHOLE))
    assert set(domain.actions) == set(GAME.reference.actions)
    assert set(domain.predicates) == set(GAME.reference.predicates)


def test_that_an_update_changes_only_what_it_names() -> None:
    first = DomainParts().updated(WHOLE, GAME.template)
    then = first.updated("modify_action('move', ['(at ?from)'], ['(at ?to)'])", GAME.template)
    assert then.actions["move"] == (("(at ?from)",), ("(at ?to)",))
    assert then.actions["open"] == first.actions["open"] and then.predicates == first.predicates


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("I cannot.", "no call of"),
        ("\nmodify_action('fly', [], [])", "Line 2 of the reply: there is no action 'fly'"),
        ("modify_action('move', ['(at ?x)'])", "a name and two lists"),
        ("modify_action('move', ['(a)) (:action x'], [])", "a name and two lists"),
        ("modify_action('move', [open('/etc/passwd').read()], [])", "no list of texts"),
        ("add_or_update_predicates(" + "[" * 5_000, "no list of texts"),
        ("add_or_update_predicates([1, 2])", "takes a list of PDDL"),
    ],
)
def test_that_what_is_no_list_of_pddl_is_refused_in_a_sentence(reply: str, words: str) -> None:
    with pytest.raises(BadReply, match=words) as refused:
        read(reply)
    assert len(str(refused.value)) <= 300 and "\n" not in str(refused.value)


def test_that_brackets_are_read_leniently_and_a_nest_is_refused() -> None:
    text = write_problem(PROBLEM).rstrip()
    assert find_pddl(f"Sure:\n```pddl\n{text[:-2]}\n```\nThat is all.", "problem") == text
    assert find_pddl("(define (domain x) (:predicates (a)))) (:action y))", "domain") == (
        "(define (domain x) (:predicates (a)) (:action y))"
    )
    with pytest.raises(BadReply, match="Line 1 of the reply: nothing begins with"):
        find_pddl("There is none.", "problem")
    with pytest.raises(BadReply, match="brackets are open"):
        find_pddl("(define (problem x" + "(" * 5_000, "problem")


def test_that_a_missing_step_makes_all_unknown() -> None:
    reply = (
        "Step 1 - Action move:\nExecution Reasoning: It is free.\nExecution result: Successful.\n"
        "Step 2 - Action move:\nExecution Reasoning: There is a wall.\nExecution result: Unsuccessful.\n"
        "Goal reaching: Unsuccessful."
    )
    found = read_steps(reply, 2)
    assert (found.done, found.goal, found.reason) == (1, False, "There is a wall")
    assert read_steps(reply, 3).done is None and read_steps("Of course.", 1).done is None


@pytest.mark.parametrize("kind", ["domain", "problem"])
def test_that_damaged_replies_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    owned, problem = tmp_path / "owned", write_problem(PROBLEM)
    whole = WHOLE if kind == "domain" else f"Here:\n```pddl\n{problem}```"
    domain, slowest = read(WHOLE), 0.0
    for number in range(DAMAGED):
        reply, draw = whole, random.Random(number)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(reply) + 1)
            evil = EVIL.format(str(owned))
            junk = draw.choice(
                (evil, "(" * 60, "]", "'", "\\", "\x00", "\u202e", reply[at : at + 60], "é" * 50)
            )
            match draw.randrange(3):
                case 0:
                    reply = reply[:at]
                case 1:
                    reply = reply[:at] + junk + reply[at:]
                case 2:
                    reply = reply[:at] + reply[at + draw.randint(1, 40) :]
        began = time.thread_time()
        try:
            faults = (
                screen(GAME.template, read(reply), problem).faults
                if kind == "domain"
                else screen(GAME.template, domain, find_pddl(reply, "problem")).faults
            )
        except BadReply as refused:
            faults = (str(refused),)
        slowest = max(slowest, time.thread_time() - began)
        assert all(len(sentence) <= 300 and "\n" not in sentence for sentence in faults)
    assert slowest < 0.1 and not owned.exists()


def test_that_a_plan_is_read_below_its_line_and_nothing_else() -> None:
    words = ("move up", "open pkg-1")
    reply = "First I plan: well.\nPlan:\n1. move up\n2) `Open pkg-1`.\n\n"
    assert read_plan(reply, words) == words
    with pytest.raises(BadReply, match="Line 1 of the reply: the game has no step 'fly'"):
        read_plan("Plan:\nfly", words)
    with pytest.raises(BadReply, match="no line with 'Plan:'"):
        read_plan("I cannot.", words)
