"""Facts as bits, and steps over them."""

from __future__ import annotations

import sys
import threading

from core.belief import Atom
from core.planning.fact_bits import BitEffect, BitOperator, FactBits
from core.planning_model import Step

A, B, C = (Atom(name, ()) for name in "abc")


def test_that_every_fact_has_one_bit_in_whatever_order_it_is_met() -> None:
    bits = FactBits()
    assert bits.mask({B}) | bits.mask({A, B}) == bits.mask([A, B]) == 0b11
    assert bits.atoms(bits.bit(C) | bits.bit(A)) == [A, C] and bits == {B: 0, A: 1, C: 2}
    assert bits.known([C, Atom("d")]) == 4 and len(bits) == 3


def test_that_conditions_refer_to_the_old_state_and_deletes_come_before_adds() -> None:
    op = BitOperator(Step("s"), 0b1, 0b10, 0b10, 0b11, (BitEffect(0b1, 0b100, 0b100, True),))
    assert [op.applicable(state) for state in (0b1, 0b11, 0b100)] == [True, False, False]
    assert op.apply(0b1) == 0b110 and op.apply(0b101) == 0b110 and op.apply(0) == 0b10


def test_that_threads_that_meet_facts_at_once_agree_on_their_bits() -> None:
    bits, atoms = FactBits(), [Atom("f", (str(n),)) for n in range(300)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=bits.mask, args=(atoms[n:] + atoms[:n],)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert bits.mask(atoms) == (1 << 300) - 1
