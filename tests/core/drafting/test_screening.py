"""Every known fault of a draft is told in a sentence with its line; what is right passes."""

from __future__ import annotations

import re

import pytest

from core.drafting.screening import screen
from core.planning.pddl.writer import write_domain, write_problem
from robots.grids.games import SIX, games
from tests.core.drafting.known import right

GAME, _, PROBLEM = right("package", 1)
D, P = write_domain(GAME.reference), write_problem(PROBLEM)
FACING = "(facing down)"


def cut(text: str, pattern: str, by: str = "") -> str:
    mended, count = re.subn(pattern, by, text, count=1, flags=re.S)
    assert count == 1, pattern
    return mended


FAULTS = {
    "undeclared in the problem": (cut(D, r"\(package-closed \?pkg - package\)"), P, "not declared"),
    "undeclared in a precondition": (cut(D, r"\(facing \?from\)", "(clear ?from)"), P, "not declared"),
    "undeclared type": (cut(D, r"package - object"), P, "not declared under :types"),
    "no types": (cut(D, r"\(:types.*?\)"), P, "not declared under :types"),
    "untyped objects": (D, P.replace(" - package", ""), "expected 'package'"),
    "wrong number of terms": (D, P.replace(FACING, "(facing pos-1-1 right)"), "takes 1 term"),
    "wrong type of a term": (D, P.replace(FACING, "(facing down) (at up)"), "expected 'position'"),
    "another domain": (D, P.replace("(:domain package)", "(:domain packages)"), "for the domain 'packages'"),
    "unknown object": (D, P.replace(FACING, "(facing down) (at pos-9-9)"), "no object"),
    "foreign variable": (cut(D, r"\(facing \?dir\)", "(facing ?d2)"), P, "not among the :parameters"),
    "a bracket too many": (D.rstrip() + ")", P, "expected the end of the file"),
    "a bracket too few": (D.rstrip()[:-1], P, "not closed"),
    "two actions alike": (
        cut(D, r"\(right-turn \?from \?to\)\)", "(left-turn ?from ?to))"),
        P,
        "of turn-left",
    ),
    "an empty effect": (
        cut(D, r"(:action close.*?:effect) \(and [^\n]*", r"\1 (and)))"),
        P,
        "close has no effect",
    ),
    "an empty goal": (D, cut(P, r"\(:goal.*", "(:goal (and)))"), "the goal is empty"),
    "a goal that nothing makes": (
        cut(D, r"\(package-open \?pkg\)\)(?=\)\s*\(:action close)", ")"),
        P,
        "no action makes",
    ),
    "an action missing": (cut(D, r"\s*\(:action close.*", ")"), P, "close of the template is missing"),
    "two cells of one agent": (D, P.replace(FACING, "(facing down) (at pos-2-2)"), "one agent in two cells"),
    "open and closed": (D, P.replace(FACING, "(facing down) (package-open pkg-1)"), "exclude each other"),
    "a link one way": (D, cut(P, r"\(move-dir pos-1-2 pos-1-1 left\)"), "one way only"),
    "a link that skips": (D, cut(P, "pos-1-1 pos-1-2 right", "pos-1-1 pos-1-3 right"), "no neighbours"),
    "no link": (
        D,
        cut(cut(P, r"\(move-dir pos-1-2 pos-1-1 left\)"), r"\(move-dir pos-1-1 pos-1-2 right\)"),
        "nothing links",
    ),
    "or": (cut(D, r"\(and (\(facing \?from\) \(left)", r"(or \1"), P, "one of several conditions"),
    "numbers": (
        cut(D, r"\(:predicates", "(:functions (n)) (:predicates").replace(
            "(facing ?to))", "(facing ?to) (increase (n) 1))", 1
        ),
        P,
        "not supported",
    ),
    "cyclic types": (cut(D, r"\(:types", "(:types a - b b - a"), P, "below itself"),
    "a long name": (cut(D, r":action close", ":action close" + "e" * 100_000), P, "close of the template"),
    "other parameters": (
        cut(D, r"(?<=:parameters )\(\?from", "(?it - direction ?from"),
        P,
        "are not the template's",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_that_a_fault_is_told_in_a_sentence_with_its_line(name: str) -> None:
    domain, problem, words = FAULTS[name]
    found = screen(GAME.template, domain, problem)
    assert not found.passed and words in " ".join(found.faults), found.faults
    for sentence in found.faults:
        assert len(sentence) <= 300 and (", line " in sentence or name == "or")


@pytest.mark.parametrize("name", SIX)
def test_that_what_is_right_passes(name: str) -> None:
    game = games()[name]
    problem = game.make(game.sizes[0], 0).problem(game.reference)
    assert screen(game.template, write_domain(game.reference), write_problem(problem)).faults == ()
