"""Permits: one motion each, once, from one authority, and not past a stop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Thread
from types import MappingProxyType

import pytest

from core.arm.step_candidates import StepCandidate
from core.belief import Belief
from core.errors import MotionRefused, RobotError, RobotNotReady
from core.loop.gate import AutoOperator
from core.loop.permit_issuer import PermitIssuer
from core.operator import Approve, Choose, Decision, End, Proceed, Proposal, ProposalKind, Replan, Undo
from core.permit import MANUAL_KINDS, Permit, PermitAuthority, PermitKind, PermitLedger
from core.planning_model import Step
from core.ports import Embodiment
from robots.stop_latch import Latch

STEP, OTHER = Step("open", ("box",)), Step("open", ("bag",))
GRASP, OTHER_GRASP = (Step("pick", ("box",), MappingProxyType({"grasp": [x, 0.2]})) for x in (0.1, 0.3))


class Ledger(PermitLedger):
    """A ledger with its latch and its authority."""

    def __init__(self) -> None:
        self.latch = Latch()
        super().__init__(self.latch.last_halt)
        self.authority = self.claim()

    def issued(self, kind: PermitKind = PermitKind.STEP, motion: object = STEP, by: str = "kim") -> Permit:
        return self.authority.issue(kind, motion, self.authority.last_stop, 1, by)

    def refused(self, permit: object, motion: object = STEP, *kinds: PermitKind) -> str:
        with pytest.raises(MotionRefused) as refusal:
            self.redeem(permit, motion, *(kinds or (PermitKind.STEP,)))  # type: ignore[arg-type]
        assert str(refusal.value).startswith("The robot does not move: ")
        return str(refusal.value)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


# --- the ledger ---------------------------------------------------------------------------------------


def test_that_a_permit_is_redeemed_once(ledger: Ledger) -> None:
    permit = ledger.issued()
    ledger.redeem(permit, STEP, PermitKind.STEP)
    assert "used already" in ledger.refused(permit)


def test_that_without_a_permit_nothing_is_redeemed(ledger: Ledger) -> None:
    assert "no permit" in ledger.refused(None)
    assert "never issued" in ledger.refused(Permit(7, PermitKind.STEP, str(STEP)))


def test_that_an_equal_permit_is_forged_and_voids_the_one_that_it_copies(ledger: Ledger) -> None:
    permit = ledger.issued()
    assert "not the one" in ledger.refused(replace(permit))
    assert "used already" in ledger.refused(permit)


def test_that_a_permit_that_was_changed_after_it_was_issued_is_refused(ledger: Ledger) -> None:
    permit = ledger.issued()
    object.__setattr__(permit, "what", str(OTHER))
    assert "not the one" in ledger.refused(permit, OTHER)


def test_that_a_permit_of_another_robot_is_refused(ledger: Ledger) -> None:
    ledger.issued()
    assert "not the one" in ledger.refused(Ledger().issued()), "though both are number 1"


@pytest.mark.parametrize("kind", PermitKind)
def test_that_a_permit_of_another_kind_is_refused(ledger: Ledger, kind: PermitKind) -> None:
    others = [k for k in PermitKind if k is not kind]
    assert f"is for {kind.value}" in ledger.refused(ledger.issued(kind), STEP, *others)
    ledger.redeem(ledger.issued(kind), STEP, kind)


def test_that_a_permit_for_another_step_is_refused_and_used_up(ledger: Ledger) -> None:
    permit = ledger.issued()
    assert str(STEP) in ledger.refused(permit, OTHER)
    assert "used already" in ledger.refused(permit)


def test_that_a_permit_for_one_grasp_is_not_one_for_another(ledger: Ledger) -> None:
    assert GRASP == OTHER_GRASP, "steps compare without their values"
    ledger.refused(ledger.issued(motion=GRASP), OTHER_GRASP)
    ledger.refused(ledger.issued(motion=GRASP), replace(GRASP, values={}))
    ledger.redeem(ledger.issued(motion=GRASP), GRASP, PermitKind.STEP)


def test_that_a_stop_voids_what_was_permitted_before_it_even_when_it_is_released(ledger: Ledger) -> None:
    permit, other = ledger.issued(), ledger.issued()
    number = ledger.latch.halt()
    assert "a stop came" in ledger.refused(permit)
    ledger.latch.release(number)
    assert "a stop came" in ledger.refused(other)
    ledger.redeem(ledger.issued(), STEP, PermitKind.STEP)


def test_that_a_permit_is_void_while_somebody_else_moves_the_robot() -> None:
    barred = [""]
    ledger = PermitLedger(lambda: 0, lambda: barred[0])
    authority = ledger.claim()
    permit = authority.issue(PermitKind.STEP, STEP, 0, 1, "kim")
    barred[0] = "bob moves this arm"
    with pytest.raises(MotionRefused, match=r"does not move: bob moves this arm\."):
        ledger.redeem(permit, STEP, PermitKind.STEP)
    with pytest.raises(RobotNotReady, match=r"bob moves this arm\."):
        authority.issue(PermitKind.STEP, STEP, 0, 2, "kim")
    barred[0] = ""
    assert "used already" in ledger.refusal(permit, STEP, PermitKind.STEP), "the refusal used it up"
    assert not ledger.refusal(authority.issue(PermitKind.STEP, STEP, 0, 3, "kim"), STEP, PermitKind.STEP)


def test_that_of_many_threads_one_redeems_a_permit(ledger: Ledger) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(200):
                permit = ledger.issued()
                told = pool.map(lambda _, p=permit: ledger.refusal(p, STEP, PermitKind.STEP), range(8))
                assert sorted(map(bool, told)) == [False, *[True] * 7]
    finally:
        sys.setswitchinterval(interval)


# --- the authority ----------------------------------------------------------------------------------


def test_that_a_book_is_claimed_once_until_it_is_released(ledger: Ledger) -> None:
    with pytest.raises(RobotNotReady, match="already"):
        ledger.claim()
    permit, first = ledger.issued(), ledger.authority
    first.release()
    assert "used already, or never issued" in ledger.refused(permit)
    with pytest.raises(RobotNotReady, match="over"):
        first.issue(PermitKind.STEP, STEP, 0, 1, "kim")
    second = ledger.claim()
    first.release()
    ledger.redeem(second.issue(PermitKind.STEP, STEP, 0, 1, ""), STEP, PermitKind.STEP)


def test_that_a_permit_is_void_that_was_issued_while_its_authority_ended() -> None:
    ending = [False]

    def ends() -> str:  # between the check of the authority and the entry in the book
        if ending[0]:
            authority.release()
        return ""

    ledger = PermitLedger(lambda: 0, ends)
    authority = ledger.claim()
    ending[0] = True
    late = authority.issue(PermitKind.STEP, STEP, 0, 1, "kim")
    ending[0] = False
    ledger.claim()
    assert "not the one that was issued" in ledger.refusal(late, STEP, PermitKind.STEP)


def test_that_of_many_threads_one_claims_a_book() -> None:
    ledger, got = PermitLedger(lambda: 0), []

    def claim() -> None:
        try:
            got.append(ledger.claim())
        except RobotNotReady:
            got.append(None)

    threads = [Thread(target=claim) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(one, PermitAuthority) for one in got) == 1


def test_that_all_but_steps_looks_and_restoring_is_done_by_hand() -> None:
    gated = {PermitKind.STEP, PermitKind.LOOK, PermitKind.RESTORE}
    assert set(MANUAL_KINDS) == set(PermitKind) - gated


@pytest.mark.parametrize("kind", MANUAL_KINDS)
def test_that_only_a_person_may_ask_for_what_is_done_by_hand(ledger: Ledger, kind: PermitKind) -> None:
    with pytest.raises(RobotNotReady, match="say who"):
        ledger.issued(kind, by="")


# --- the issuer -------------------------------------------------------------------------------------


class Says(AutoOperator):
    """An operator that always decides the same, after something happened."""

    def __init__(self, decision: Decision, first: object = None) -> None:
        super().__init__()
        self._decision, self._first = decision, first

    def decide(self, proposal: Proposal) -> Decision:
        if callable(self._first):
            self._first()
        return self._decision


@pytest.fixture
def latch() -> Latch:
    return Latch()


@pytest.fixture
def shelf(latch: Latch) -> PermitLedger:
    return PermitLedger(latch.last_halt)


@pytest.fixture
def issuer(shelf: PermitLedger) -> Iterator[PermitIssuer]:
    made = PermitIssuer(shelf, Embodiment.SIM)
    yield made
    made.close()


def proposal(kind: ProposalKind = ProposalKind.STEP, number: int = 3) -> Proposal:
    step = {ProposalKind.STEP: STEP, ProposalKind.VIEWPOINT: Step("look_from", ("left",))}.get(kind)
    return Proposal(number, 1, kind, step, belief=Belief())


def test_that_an_approval_gives_the_permit_for_the_proposed_step(
    issuer: PermitIssuer, shelf: PermitLedger
) -> None:
    decision, permit = issuer.decide(Says(Approve("kim")), proposal())
    assert decision == Approve("kim") and permit is not None
    assert (permit.kind, permit.what, permit.proposal, permit.by) == (PermitKind.STEP, str(STEP), 3, "kim")
    shelf.redeem(permit, STEP, PermitKind.STEP)


def test_that_a_choice_gives_the_permit_for_the_chosen_step(issuer: PermitIssuer) -> None:
    for kind in (ProposalKind.STEP, ProposalKind.HELP_NEEDED):
        _, permit = issuer.decide(Says(Choose(OTHER, "kim")), proposal(kind))
        assert permit is not None and (permit.what, permit.by) == (str(OTHER), "kim")


def test_that_nothing_is_chosen_while_a_stop_is_in_force(issuer: PermitIssuer) -> None:
    assert issuer.decide(Says(Choose(OTHER, "kim")), proposal(ProposalKind.STOP_RELEASE))[1] is None


def test_that_an_approval_gives_the_permit_for_the_best_candidate_that_can_be_done(
    issuer: PermitIssuer, shelf: PermitLedger
) -> None:
    blocked = StepCandidate("left", OTHER_GRASP, 0.9, "the shelf is in the way")
    offered = replace(proposal(), step=replace(GRASP, values={}))
    offered = replace(offered, candidates=(blocked, StepCandidate("right", GRASP, 0.5)))
    _, permit = issuer.decide(Says(Approve("kim")), offered)
    assert permit is not None
    shelf.redeem(permit, GRASP, PermitKind.STEP)


def test_that_who_moves_a_robot_by_hand_is_told_why_not(issuer: PermitIssuer) -> None:
    move, begun = issuer.manual_actuation("kim"), []
    assert move(PermitKind.JOG, "up", lambda permit: begun.append(permit) or "") == ""
    assert [(p.kind, p.what, p.by) for p in begun] == [(PermitKind.JOG, "up", "kim")]
    issuer.close()
    assert "the episode is over" in move(PermitKind.JOG, "up", lambda permit: begun.append(permit) or "")
    assert len(begun) == 1


def test_that_an_approved_viewpoint_permits_to_look_from_there_and_no_step(issuer: PermitIssuer) -> None:
    _, permit = issuer.decide(Says(Approve()), proposal(ProposalKind.VIEWPOINT))
    assert permit is not None and (permit.kind, permit.what) == (PermitKind.LOOK, "left")


@pytest.mark.parametrize("decision", (Replan(), Undo(), Proceed(1), End("enough")))
def test_that_no_other_decision_permits_anything(issuer: PermitIssuer, decision: Decision) -> None:
    for kind in ProposalKind:
        assert issuer.decide(Says(decision), proposal(kind)) == (decision, None)


@pytest.mark.parametrize(
    "kind", (ProposalKind.HELP_NEEDED, ProposalKind.DOMAIN_CHANGE, ProposalKind.STOP_RELEASE)
)
def test_that_an_approval_of_what_does_not_move_permits_nothing(
    issuer: PermitIssuer, kind: ProposalKind
) -> None:
    assert issuer.decide(Says(Approve("kim")), proposal(kind))[1] is None


def test_that_a_stop_while_the_operator_decides_voids_the_permit(
    issuer: PermitIssuer, shelf: PermitLedger, latch: Latch
) -> None:
    _, permit = issuer.decide(Says(Approve("kim"), lambda: latch.release(latch.halt())), proposal())
    assert permit is not None
    assert "a stop came" in shelf.refusal(permit, STEP, PermitKind.STEP)


def test_that_the_next_proposal_voids_a_permit_that_was_not_used(
    issuer: PermitIssuer, shelf: PermitLedger
) -> None:
    _, permit = issuer.decide(Says(Approve("kim")), proposal())
    issuer.decide(Says(Replan()), proposal(number=4))
    assert permit is not None and "used" in shelf.refusal(permit, STEP, PermitKind.STEP)


def test_that_a_real_robot_moves_only_by_a_persons_approval(shelf: PermitLedger) -> None:
    issuer = PermitIssuer(shelf, Embodiment.REAL)
    for decision in (Approve(), Choose(STEP)):
        with pytest.raises(RobotNotReady, match="nobody approved"):
            issuer.decide(Says(decision), proposal())
    assert issuer.decide(Says(Approve("kim")), proposal())[1] is not None


@pytest.mark.parametrize("kind", [kind for kind in PermitKind if kind not in MANUAL_KINDS])
def test_that_a_step_is_never_permitted_by_hand(issuer: PermitIssuer, kind: PermitKind) -> None:
    with pytest.raises(RobotNotReady, match="gate"):
        issuer.manual_permit(kind, STEP, "kim")


def test_that_only_a_simulation_is_restored(issuer: PermitIssuer, shelf: PermitLedger) -> None:
    permit = issuer.restore(STEP)
    assert (permit.proposal, permit.by) == (0, "")
    shelf.redeem(permit, STEP, PermitKind.RESTORE)
    for embodiment in (Embodiment.EMULATED, Embodiment.REAL):
        with pytest.raises(RobotError, match=embodiment.value):
            PermitIssuer(PermitLedger(lambda: 0), embodiment).restore(STEP)


def test_that_a_closed_office_permits_nothing_and_frees_the_book(shelf: PermitLedger) -> None:
    issuer = PermitIssuer(shelf, Embodiment.SIM)
    issuer.close()
    with pytest.raises(RobotNotReady, match="over"):
        issuer.manual_permit(PermitKind.JOG, "up", "kim")
    PermitIssuer(shelf, Embodiment.SIM).close()
