"""On the desk, nothing that a person edited is overwritten, and a search that nobody waits for ends."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import main
from core.drafting.desk import Desk, Findings, Next
from core.drafting.edits import LiteralEdit
from core.drafting.overruled import Ruling, Said
from core.drafting.rounds import MODEL, REPAIR
from core.drafting.score import Discrepancy
from core.drafting.source import DraftingTools, DraftSource
from core.errors import Cancelled
from core.planning.pddl.writer import write_domain, write_problem
from core.stop_token import StopToken
from tests.core.drafting.known import right

TOOLS = DraftingTools(main.games, main.paint)
KILLS = 50


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(TOOLS, DraftSource("frozenlake-3-0"), tmp_path / "log.db")
    yield made
    made.close()


def test_that_a_correction_keeps_what_a_person_edited_and_asks_where_both_did(desk: Desk) -> None:
    game, _, problem = right("frozenlake", 0)
    up, down = game.reference.action("move-up"), game.reference.action("move-down")
    mine = LiteralEdit(up.name, False, up.precondition[-1], None)
    first = desk._add(desk.bench.written(write_domain(problem.domain), write_problem(problem), MODEL))
    link = min(fact for fact in problem.state if fact.predicate == "up_direction")
    edited = mine.apply(problem).with_state(problem.state - {link})
    second = desk.write(write_domain(edited.domain), write_problem(edited), first)
    assert (second.by, second.parent) == (desk.by, 1)
    other = LiteralEdit(down.name, False, down.precondition[-1], None).apply(problem)
    theirs = LiteralEdit(up.name, True, up.effects[-1].literal, None).apply(other)
    made = desk.bench.written(write_domain(theirs.domain), write_problem(theirs), MODEL, second)
    third = desk._add(desk._merged(made, second))
    assert third.problem is not None and (third.by, third.parent) == (MODEL, 2)
    assert link not in third.problem.state
    assert third.problem.domain.action("move-up") == edited.domain.action("move-up")
    assert third.problem.domain.action("move-down") == theirs.domain.action("move-down")
    (conflict,) = desk.conflicts
    assert conflict.what == "the action move-up" and conflict.mine != conflict.theirs != conflict.before
    taken = desk.resolve(conflict, third)
    assert taken.problem is not None and not desk.conflicts
    assert taken.problem.domain.action("move-up") == theirs.domain.action("move-up")


def test_that_a_draft_goes_on_alone_to_its_end_and_a_search_that_is_cancelled_ends(desk: Desk) -> None:
    found, steps = None, 0
    while desk.next_step(found) not in (Next.DONE, Next.STUCK):
        found, steps = desk.go_on(found), steps + 1
    assert found is not None and found.agrees and steps <= 12 and desk.versions[0].by == MODEL
    assert all(version.by in (MODEL, REPAIR) for version in desk.versions) and desk.rounds <= 4
    ended = StopToken()
    desk.begin(ended)
    ended.end("nobody waits")
    with pytest.raises(Cancelled):
        desk.look(found.version)


def test_that_whatever_a_person_says_of_a_walk_is_known_when_the_draft_opens_again(tmp_path: Path) -> None:
    source, path = DraftSource("frozenlake-3-0"), tmp_path / "log.db"
    walks = {("move up", said.value): said for said in Said}
    for opening in range(3):
        desk = Desk(TOOLS, source, path)
        desk.by = desk.by if opening else "Anna"
        if not opening:
            first = desk.go_on(None).version
            for walk, said in walks.items():
                desk.say(Findings(first, difference=Discrepancy(walk, said is Said.BOTH)), said)
            assert desk.choose(first).number == first.number
        rulings = {(walk, False): Ruling(said, said is Said.BOTH, "Anna") for walk, said in walks.items()}
        assert desk.judged == rulings
        desk.close()


def test_that_what_a_person_says_of_a_walk_counts_in_score_proof_and_repair(tmp_path: Path) -> None:
    game, _, problem = right("frozenlake", 2)
    desk = Desk(TOOLS, DraftSource("frozenlake-3-2"), tmp_path / "log.db")
    slip = LiteralEdit("move-up", False, game.reference.action("move-up").precondition[-1], None)
    wrong = slip.apply(problem)
    version = desk.write(write_domain(wrong.domain), write_problem(wrong), None)
    assert version.score is not None and version.score.ew < 1
    for said, told in ((Said.DRAFT, "as {} said, not"), (Said.UNKNOWN, "left out")):
        found, count = desk.look(version), 0
        assert not found.overruled and found.repair and found.repair.repairs[0].edit == slip.inverse
        while found.difference is not None:
            found, count = desk.look(desk.say(found, said)), count + 1
        assert found.agrees and found.version.score.exact and found.repair is None, said
        assert f"{count} step" in found.overruled and told.format(desk.by) in found.overruled
        fixed = desk.write(write_domain(problem.domain), write_problem(problem), None)
        assert fixed.score is not None and fixed.score.exact is (said is not Said.DRAFT)
        back = found.version
        for _ in range(count):
            back = desk.undo(Findings(back))
        assert not desk.judged and back.score == version.score
    desk.close()


KILLED = """
import sys
from pathlib import Path
from core.drafting.desk import Desk
from core.drafting.source import DraftSource
from tests.core.drafting.test_desk import TOOLS
print("begins", flush=True)
desk = Desk(TOOLS, DraftSource("frozenlake-3-0"), Path(sys.argv[1]))
version = desk.versions[-1] if desk.versions else desk.go_on(None).version
count = int(version.domain_text.rpartition(";")[2] or 0) if version.by == desk.by else 0
while True:
    count += 1
    text = f"{version.domain_text.partition(chr(59))[0]};{count}"
    version = desk.write(text, version.problem_text, version if count % 4 else None)
    print(count, flush=True)
"""


@pytest.mark.long
def test_that_after_kill_9_at_any_moment_a_draft_opens_at_its_last_version(tmp_path: Path) -> None:
    draw, path, opened, source = Random(0), tmp_path / "log.db", 0, DraftSource("frozenlake-3-0")
    for kill in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        began = child.stdout.readline()  # it opens the draft from here on
        time.sleep(draw.uniform(0, 2))
        child.kill()
        last = int([str(opened), *child.stdout.read().split()][-1])
        child.wait()
        desk = Desk(TOOLS, source, path)
        opened = int(desk.versions[-1].domain_text.rpartition(";")[2] or 0) if desk.versions else 0
        assert began and opened in (last, last + 1), (kill, opened, last)
        desk.close()
    print(f"{KILLS} kills, {opened} texts written")
