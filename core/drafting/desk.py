"""A draft on the desk: its versions, what a look at one finds, and what comes next."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import cast

from core.drafting.agreement import EACH, LENGTHS, LIMIT, Walks, compare
from core.drafting.findings import Findings, Mark, Next, marks, moments
from core.drafting.folder import JudgedWalk, judge, write_folder
from core.drafting.photograph import PLANNING, LentWorld, on_photograph
from core.drafting.plans import engine_planner, planner
from core.drafting.record import TEMPLATE, DraftRecord, Judgements, Versions, kept
from core.drafting.repair import SEARCH, Repaired, repair
from core.drafting.rounds import METHODS, MODEL, REPAIR_LIMIT, ROUNDS, Texts, Version, Workbench
from core.drafting.screening import read_otherwise
from core.drafting.simulator import OverruledWorld, Ruling, Said, reaches_goal, sentence
from core.drafting.source import (
    Against,
    DraftingTools,
    DraftSource,
    Unnamed,
    drafter_of,
    frame_of,
    map_shown,
    picture_of,
    simulator_of,
)
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Cell, State, World, name_of_cells, world_of
from core.errors import BadValue, LogError
from core.log.recorder import Recorder
from core.operator import operator_name
from core.pictures import blank_frame, frame_of_picture
from core.planning.domain_library import own_domains_folder
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import Problem
from core.ports import Frame
from core.stop_token import StopToken
from core.text.plural import plural
from core.work import Work

log = logging.getLogger(__name__)
MOST_ALONE = 20  # versions that are made without a person
FEW = 2_000  # pairs of states in which a draft is compared with a template, whose states take long
TWO_MODELS = "Two models are compared; neither is the truth."
ALONE = f"{MOST_ALONE} versions were made without you: look at them; Enter goes on."
USED_UP = "The paper's rounds are used up: edit the draft, or save it as it is."
STUCK = "Write in the problem what holds at first, or in the domain what a step does: no model is asked."
ADVICE = {
    Against.WORLD: "",
    Against.MODEL: TWO_MODELS,
    Against.TEMPLATE: "What holds at first is the template's guess: correct it in the problem.",
}


class Desk:
    """Everything of one draft; one thread at a time, which holds `lock`.

    Opening it takes up the last draft from the same source. Raises ConsoleError.
    """

    def __init__(self, tools: DraftingTools, source: DraftSource, database: Path) -> None:
        self.source, self.tools, self.by = source, tools, operator_name()
        self.cancel, self.lock = StopToken(), Lock()
        self._report: Callable[[Findings], None] = lambda _: None
        photo = on_photograph(source) if source.template else None
        self.game, world = photo or world_of(tools.games(), source.map)
        self._overruled = OverruledWorld(world)
        self._lent = world if source.lent and isinstance(world, LentWorld) else None
        self.world = cast(World, self._overruled)
        self.frame = frame_of(tools.paint, self.game, self.world, source)
        settings = source.settings(self.frame)
        before, said, boxes = kept(database, settings)
        if boxes:  # they are told a model
            self.source = source = source.with_drawn(boxes)
            settings["boxes"], (self.game, _) = boxes, on_photograph(source)
        self.drafter, ask = drafter_of(self.game, self.world, source, self.frame, self.cancel)
        self._recorder = Recorder.open(database)
        self.record = DraftRecord(self._recorder, self.game.name, settings, self.frame, self.drafter, ask)
        simulator = simulator_of(self.game, self.world, source, self.record.ask)
        self.against = against = source.against
        walks = Walks(simulator, source.seed, 1 if photo and against is Against.MODEL else EACH)
        self._planner = planner(self.game, {}, self.cancel)
        if photo:
            self._planner = engine_planner(self.game, PLANNING, lambda: self._overruled.cancel)
        name, ask = source.map, self.record.ask
        self.bench = Workbench(self.game, name, walks, ask, self._plan, METHODS["ours"])
        self.judgements = Judgements(self._overruled, self.bench, self.record, against)
        self.versions = Versions(self.bench, self.record)
        self._decided: list[tuple[int, Findings | None]] = []  # since it was opened: on which version, and
        # what was found when its repair was refused; None: a walk was judged
        self._alone = 0  # versions that were last made at once
        self._asked: Version | None = None  # that was to be saved last
        self._saved = False  # a photograph, whose domain is therefore its own
        self.record.note(f"Goes on with {plural(len(before), 'version')}.", self.by)
        _ = before and walks.of_world  # drawn as they were before anything was said of one
        self.judgements.add(said)
        for one in before:
            made = self.bench.written(*one.texts, one.by, self.versions.get(one.parent))
            self.versions.add(replace(made, parent=one.parent, repairs=one.repairs))

    def close(self, typed: Texts | None = None, last: Version | None = None) -> None:
        """End what waits for a model, and the record, in which what a person `typed` after the `last` version
        is kept: what cannot be written then is told in the program's own log. Any thread.
        """
        self.cancel.end("the drafting room was closed")
        self._overruled.cancel.end("the drafting room was closed")
        try:
            if typed is not None:
                self.versions.keep(typed, self.by, last)
            self._recorder.close()
        except LogError as error:
            log.error("%s", error)

    def begin(self, cancel: StopToken, report: Callable[[Findings], None] = lambda _: None) -> None:
        """Begin something that ends with `cancel`, wherever it is; report what is found. Raises Cancelled."""
        cancel.check()
        self._overruled.cancel, self._report = cancel, report

    @property
    def rounds(self) -> int:
        """Return how often the model was asked for corrections."""
        return sum(version.by == MODEL for version in self.versions.all[1:])

    @property
    def cost(self) -> str:
        """Return what the next call of the model costs, in words."""
        if not self.source.answerer:
            return f"the {self.drafter}, free"
        latest = self.versions.all[-1] if self.versions.all else None
        if self.bench.world is None and latest is None:
            most = sum(LENGTHS) * len(self.world.words)
            return f"{self.drafter}, three calls, and then up to {most:,} for the steps of 10 walks"
        letters = 3_000 + (sum(map(len, latest.texts)) if latest else 0)
        return f"{self.drafter}, a picture and some {letters // 400 * 100:,} tokens"

    def next_step(self, found: Findings | None) -> Next:
        """Return what comes next after what was found of the version at hand."""
        if found is None:
            return Next.DRAFT
        if self.versions.conflicts:
            return Next.CONFLICT
        if found.agrees and found.version.converged:
            return Next.DONE
        silent = self.source.lent or self.rounds >= ROUNDS  # no model is asked
        if found.repair is not None and (found.repair.agrees or silent):
            return Next.REPAIR
        if silent:
            return Next.STUCK if self._lends or not self.source.lent else Next.DRAFT
        return Next.ASK

    @property
    def _lends(self) -> bool:
        """Return True if there is a version as the template has it."""
        return any(version.by == TEMPLATE for version in self.versions.all)

    def advice(self, found: Findings | None) -> str:
        """Return what comes next costs, or what else a person should know; "" for nothing."""
        coming = self.next_step(found)
        lends = f"Enter takes the actions of {self.source.template}: no model is asked."
        asks = lends if self.source.lent else f"Enter asks {self.cost}."
        if found is not None and self._alone == MOST_ALONE and coming is Next.REPAIR:
            return ALONE
        told = STUCK if self.source.lent else USED_UP
        return {Next.DRAFT: asks, Next.ASK: asks, Next.STUCK: told}.get(coming, ADVICE[self.against])

    def verdict(self, version: Version) -> str:
        """Return in a few words how good a version is, unless a walk was judged since it was compared."""
        return "not compared since" if version.number in self.versions.stale else version.verdict

    def about(self, version: Version) -> str:
        """Return what made a version, and of how many words its EW says nothing."""
        untried = len(version.score.untried) if version.score else 0
        return "; ".join((*version.repairs, *([f"{plural(untried, 'word')} in no walk"] if untried else [])))

    def unasked(self, found: Findings | None) -> str:
        """Return why the model is not asked for corrections, "" if it can be."""
        if found is None or self.source.lent:
            return "no model drafts" if self.source.lent else "nothing is drafted"
        return "the paper's rounds are used up" if self.next_step(found) is Next.STUCK else ""

    @property
    def cells(self) -> dict[Cell, str]:
        return dict(self.world.cells(self.world.first))

    def with_kind(self, cell: Cell, kind: str) -> DraftSource:
        """Return the source of the map on which a cell is of this kind, "" for the next one."""
        kinds = self.game.kinds
        kind = kind or kinds[(kinds.index(self.cells[cell]) + 1) % len(kinds)]
        changed = {**self.cells, cell: kind}
        first = (self.source.origin if "-c" in self.source.map else "") or self.source.map
        _, before = world_of(self.tools.games(), first)
        same = dict(before.cells(before.first)) == changed
        made = first if same else name_of_cells(self.game, changed)
        return replace(self.source, map=made, origin=first, before=self.source)

    def go_on(self, found: Findings | None, alone: bool = False) -> Findings:
        """Do what comes next, and look at it; `alone`, all that follows as well, to its end or a limit.

        What a person edited stays, but for a repair that they accept; where both changed the same, they are
        asked. Raises what asking raises.
        """
        if self.versions.conflicts and found is not None:  # the person keeps theirs
            self.versions.resolve()
            return found
        for step in range(MOST_ALONE if alone else 1):
            if found is not None and found.repair and self.next_step(found) is Next.REPAIR:
                version = self.mend(found.version, found.repair, consented=not step)
            else:
                version = self.ask(found.version if found else None)
            found, self._alone = self.look(version), step + 1
            if self.next_step(found) not in (Next.REPAIR, Next.ASK):
                break
        assert found is not None
        return found

    # --- versions ----------------------------------------------------------------------------------------

    def ask(self, last: Version | None) -> Version:
        """Have the model draft or correct this version, not what people edited; a template drafts as it is.
        Raises what asking does.
        """
        if self.source.lent and not self._lends:
            problem = self.world.problem(self.game.reference)
            texts = write_domain(problem.domain), write_problem(problem)
            return self.versions.add(self.bench.written(*texts, TEMPLATE, last))
        return self.versions.add_merged(self.bench.asked(last), last)

    def mend(self, last: Version, found: Repaired, consented: bool) -> Version:
        """Make the version with these repairs; without consent, what a person edited stays."""
        made = self.bench.repaired(last, found)
        assert made is not None
        return self.versions.add(made) if consented else self.versions.add_merged(made, last)

    def write(self, domain_text: str, problem_text: str, parent: Version | None) -> Version:
        """Make the version that the person wrote; typing on changes it, until another is made or chosen."""
        return self.versions.write(domain_text, problem_text, self.by, parent)

    def _plan(self, problem: Problem) -> Walk | None:
        """Plan for a version, which is the first that becomes of it: on a photograph, a template begins where
        the person wrote that it does.
        """
        self._begin_at(problem)
        return self._planner(problem)

    def _begin_at(self, problem: Problem) -> None:
        if self._lent is not None and self._lent.begin(problem):
            self.bench.walks.draw_anew()
            self.judgements.count()

    def edit(self, found: Findings) -> Version:
        """Make the proposed repair the person's own text, to be edited on; what they typed stays."""
        assert found.repair is not None
        self.versions.typing = False
        return self.write(*self.bench.texts_of(found.repair.problem), found.version)

    # --- looking -----------------------------------------------------------------------------------------

    def look(self, version: Version) -> Findings:
        """Compare, and look for a repair; report what is found as it is found. Raises Cancelled."""
        found, said = Findings(version, against=self.against), self.judgements
        self._report(found)
        if version.problem is None:
            return replace(found, complete=True)
        proven, difference = self.bench.world, None
        compared, agrees = TWO_MODELS, version.score is not None and version.score.exact
        if proven is not None:
            limit = LIMIT if self._lent is None else 0 if self._lent.is_of(version.problem) else FEW
            comparison = said.told(compare(proven, DraftSteps(version.problem, self.game.word_of), limit))
            compared, agrees = comparison.sentence, comparison.difference is None
            difference = comparison.difference
            never = ", ".join(comparison.impossible)
            compared += f" Possible in none of them: {never}." if never else ""
        others = map(said.said, version.score.found if version.score else ())
        difference = next((one for one in (difference, *others) if one and said.open(one)), None)
        painted = proven is not None and not self.source.template
        walked = moments(self.world, self.frame, self._picture, difference, painted)
        found = replace(found, compared=compared, agrees=agrees, difference=difference, moments=walked)
        found = replace(found, overruled=sentence(said.rulings))
        self._report(found)
        if not agrees:
            proposed = (found.repair for _, found in self._decided if found)
            refused = {one.edit for repaired in proposed if repaired for one in repaired.repairs}
            draft, more = version.problem, Work(SEARCH // 4, cancel=self._overruled.cancel)
            among = self.game, self.bench.walks, REPAIR_LIMIT
            mended = repair(draft, *among, 1, refused, known=said.evidence)
            if not mended.agrees and (several := repair(draft, *among, refused=refused, within=more)).agrees:
                mended = several
            mended = replace(mended, comparison=said.told(mended.comparison)) if mended.comparison else mended
            found = replace(found, repair=mended if mended.repairs else None)
        return replace(found, complete=True)

    def mark(self, found: Findings) -> Findings:
        """Say of each literal what the walks say of it, and what a second reader says of the texts, once all
        else is reported. Raises Cancelled.
        """
        self._report(found)
        problem, told = found.version.problem, list[Mark]()
        for one in marks(problem, self.game, self.bench.walks) if problem else ():
            self._overruled.cancel.check()
            told.append(one)
        texts = found.version.texts
        return replace(found, marks=tuple(told), otherwise=read_otherwise(problem, *texts) if problem else ())

    def _picture(self, state: State) -> Frame:
        png = self.tools.paint(self.game, self.world, self.source.look, state)
        return frame_of_picture(png, "picture", 0.0, "") if png else blank_frame("picture", 0.0, "")

    def refuse(self, found: Findings) -> Version:
        """Refuse the proposed repair, or where two changed the same, take theirs; return what stands."""
        if self.versions.conflicts:
            theirs = self.versions.resolve().resolved
            texts = write_domain(theirs.domain), write_problem(theirs)
            return self.versions.add(self.bench.written(*texts, self.by, found.version))
        if found.repair:
            self._decided.append((found.version.number, found))
        return found.version

    def say(self, found: Findings, said: Said) -> Version:
        """Keep what the person says of the walk that differs; return the version as it counts."""
        version, difference = found.version, found.difference
        if difference is None:
            return version
        ruling = Ruling(said, difference.draft_has, self.by, difference.goal)
        self._decided.append((version.number, None))
        self.judgements.add({(difference.words, difference.goal): ruling})
        self.versions.stale = {one.number for one in self.versions.all}
        return self._judged_anew(version)

    def _judged_anew(self, version: Version) -> Version:
        """Return a version as it counts after what people said, in the place of what it was."""
        if version.problem is not None and version in self.versions.all:
            self._begin_at(version.problem)
            score = self.bench.walks.score(DraftSteps(version.problem, self.game.word_of))
            valid = reaches_goal(self.bench.walks.simulator, version.plan)
            old, version = version, replace(version, score=score, valid=valid)
            self.versions.change(old, version)
        return version

    def can_undo(self, version: Version | None) -> bool:
        return version is not None and (version.parent > 0 or bool(self._decided))

    def undo(self, found: Findings) -> Version | Findings:
        """Take back what was last refused, or said of a walk, if it was of this version; else go back to its
        parent, and from the first version to what was last decided of another. Return the version as it
        counts then. Raises LogError.
        """
        version, (number, refused) = found.version, self._decided[-1] if self._decided else (0, None)
        if not number or (version.number != number and version.parent):
            return self.choose(self.versions.get(version.parent) or version)
        self._decided.pop()
        if refused is not None:
            return refused
        version = self.versions.get(number) or version
        self.judgements.take_back()
        self.versions.stale = {one.number for one in self.versions.all}
        return self._judged_anew(version)

    def choose(self, version: Version) -> Version:
        """Return the version as it counts now, and keep in the log that it was chosen. Raises LogError."""
        self.versions.typing = False
        self.record.note(f"Back to version {version.number}.", self.by)
        return self._judged_anew(version)

    # --- the end -----------------------------------------------------------------------------------------

    def save(self, version: Version) -> Path:
        """Write the domain folder with the walks that were judged; return it. Raises BadValue, BadFile.

        What does not agree, and any photograph, is written over another domain only when it is saved twice.
        """
        folder = own_domains_folder() / self.source.map
        asked, self._asked = self._asked is version or self._saved, version
        sure = version.converged and not self.source.template
        if folder.exists() and not (asked or sure):
            raise BadValue(f"{folder.name} is a domain already: save again to replace it by this draft.")
        made = f"{self.game.name}, drafted in the drafting room; version {version.number} by {version.by}."
        task = write_folder(folder, self.game, version, made, "symbolic" if self.source.template else "grids")
        for (walk, goal), ruling in self.judgements.rulings.items():
            if (truth := ruling.truth) is not None and walk:
                judge(folder, walk, JudgedWalk(task, goal or truth, ruling.by, truth if goal else None))
        self.record.end(version)
        self._saved = bool(self.source.template)
        return folder


def opened(
    tools: DraftingTools, source: DraftSource, database: Path, report: Callable[[object], None]
) -> Desk | Unnamed:
    """Open what a person chose; report the Choices, and then the Frame of a file. Raises ConsoleError."""
    report(tools.choices())
    if source.picture is not None:
        report(picture_of(source.picture))
    shown = map_shown(tools, source)
    return Desk(tools, shown, database) if isinstance(shown, DraftSource) else shown
