"""RTDE as clients see it: every variable, both versions, odd frequencies, conflicts."""

from __future__ import annotations

import struct
from itertools import islice, pairwise

import pytest

from robots.ur5e import rtde
from tests.robots.ur5e.conftest import Bench, until
from tests.robots.ur5e.emulator.clients import Rtde


def test_that_the_lists_have_all_that_the_public_ones_name() -> None:
    registers = 2 + 64 + 48 + 48
    assert len(rtde.OUTPUT) == 82 + 2 * registers
    assert len(rtde.INPUT) == 13 + registers


def test_that_each_output_comes_in_its_type(bench: Bench) -> None:
    with Rtde(bench.address) as client:
        for name in (n for n in rtde.OUTPUT if "register" not in n):
            kind = rtde.OUTPUT[name]
            assert client.outputs(name, 500) == b"\1" + kind.encode(), name
            assert client.ask(b"S") == b"\1"
            payload = next(client.packages())
            recipe = rtde.Recipe(1, (name,), (kind,))
            assert len(payload) == recipe.layout.size, name
            assert payload[0] == 1
            client.ask(b"P")


def test_that_all_outputs_fit_into_one_recipe(bench: Bench) -> None:
    names = tuple(rtde.OUTPUT)
    with Rtde(bench.address) as client:
        reply = client.outputs(",".join(names), 10)
        assert reply == b"\1" + ",".join(rtde.OUTPUT.values()).encode()
        client.ask(b"S")
        recipe = rtde.Recipe(1, names, tuple(rtde.OUTPUT.values()))
        values = recipe.unpack(next(client.packages()))
        assert values["robot_mode"] == (7,)
        assert values["joint_mode"] == (253,) * 6
        assert values["elbow_position"][2] > 0.1


def test_that_every_input_is_taken_and_told_again(bench: Bench) -> None:
    with Rtde(bench.address) as client:
        for names, values in (
            ("input_bit_registers0_to_31", struct.pack(">I", 0x80000001)),
            ("input_bit_register_64,input_bit_register_127", b"\1\1"),
            ("input_int_register_47", struct.pack(">i", -5)),
            ("input_double_register_30", struct.pack(">d", 2.5)),
        ):
            reply = client.ask(b"I", names.encode())
            assert reply[0] > 0
            client.send(b"U", reply[:1] + values)
            assert client.outputs(names) == b"\1" + reply[1:]
            client.ask(b"S")
            stream = client.packages()
            until(lambda stream=stream, values=values: next(stream)[1:] == values)
            client.ask(b"P")
        names = ",".join(n for n in rtde.INPUT if n.startswith("standard_analog"))
        reply = client.ask(b"I", names.encode())
        recipe = rtde.Recipe(reply[0], tuple(names.split(",")), tuple(reply[1:].decode().split(",")))
        sent = {"mask": 3, "type": 2, "0": 0.5, "1": 0.5}
        client.send(b"U", recipe.pack([sent[n.rsplit("_", 1)[1]] for n in recipe.names]))
        client.outputs("standard_analog_output0,standard_analog_output1")
        client.ask(b"S")
        stream = client.packages()
        until(lambda: struct.unpack(">B2d", next(stream)) == (1, pytest.approx(0.012), 5.0))


def test_that_version_1_has_no_frequency_and_no_recipe_number(bench: Bench) -> None:
    for version in (1, None):
        with Rtde(bench.address, version) as client:
            assert client.ask(b"O", b"timestamp,actual_q") == b"DOUBLE,VECTOR6D"
            assert client.ask(b"S") == b"\1"
            times = [struct.unpack(">7d", p)[0] for p in islice(client.packages(), 20)]
            assert times[-1] - times[0] == pytest.approx(19 / 125, abs=0.03)


def test_that_version_3_is_not_spoken(bench: Bench) -> None:
    with Rtde(bench.address) as client:
        assert client.ask(b"V", struct.pack(">H", 3)) == b"\0"


@pytest.mark.parametrize("hertz", [500.0, 125.0, 7.0, pytest.param(0.5, marks=pytest.mark.long)])
def test_that_a_frequency_is_kept_on_average(bench: Bench, hertz: float) -> None:
    with Rtde(bench.address) as client:
        assert client.outputs("timestamp", hertz)[0] == 1
        client.ask(b"S")
        count = max(2, round(hertz / 2))
        times = [struct.unpack(">Bd", p)[1] for p in islice(client.packages(), count)]
        assert times[-1] - times[0] == pytest.approx((count - 1) / hertz, abs=0.05)
        assert all(later - earlier < 1 / hertz + 0.05 for earlier, later in pairwise(times))


@pytest.mark.parametrize("hertz", [0.0, -1.0, 501.0, 1e308, float("inf"), float("nan")])
def test_that_a_frequency_outside_0_to_500_is_refused(bench: Bench, hertz: float) -> None:
    with Rtde(bench.address) as client:
        assert client.outputs("timestamp", hertz) == b"\0DOUBLE"
        assert client.ask(b"S") == b"\0"


def test_that_the_smallest_frequency_harms_nobody(bench: Bench) -> None:
    with Rtde(bench.address) as client, Rtde(bench.address) as other:
        assert client.outputs("timestamp", 1e-320) == b"\1DOUBLE"
        client.ask(b"S")
        other.outputs("timestamp", 500)
        other.ask(b"S")
        assert len(list(islice(other.packages(), 200))) == 200


def test_that_a_conflict_names_what_is_in_use_and_takes_nothing(bench: Bench) -> None:
    with Rtde(bench.address) as first, Rtde(bench.address) as second:
        assert first.ask(b"I", b"input_int_register_20")[0] == 1
        wanted = b"input_int_register_20,input_int_register_21,none"
        assert second.ask(b"I", wanted) == b"\0IN_USE,INT32,NOT_FOUND"
        assert first.ask(b"I", b"input_int_register_21") == b"\2INT32"
