from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import RobotError
from core.stop_token import Late
from robots.remote.wire_message import MessageDecoder, encode_message


@given(
    st.lists(st.tuples(st.text(max_size=20), st.lists(st.binary(max_size=50), max_size=3)), max_size=5),
    st.integers(1, 64),
)
def test_that_messages_survive_however_the_stream_is_cut(
    sent: list[tuple[str, list[bytes]]], cut: int
) -> None:
    stream = b"".join(encode_message("told", *blobs, text=text) for text, blobs in sent)
    splitter = MessageDecoder()
    got = [m for at in range(0, len(stream), cut) for m in splitter.feed(stream[at : at + cut])]
    assert [(m.text("text"), list(m.blobs)) for m in got] == sent
    assert all(m.kind == "told" for m in got)


@pytest.mark.parametrize(
    "stream",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0\0\0\x02{}",
        b"\0\0\0\x04null",
        b"\0\0\0\x03xyz",
        b'\0\0\0\x14{"blobs":[Infinity]}',
        b'\0\0\0\x0e{"blobs":[-1]}',
        b"\0\1\0\0" + b"[" * (1 << 16),
    ],
)
def test_that_a_stream_of_another_program_is_refused_in_one_sentence(stream: bytes) -> None:
    with pytest.raises(RobotError, match="no part of this program"):
        list(MessageDecoder().feed(stream))


def test_that_numbers_come_back_as_numbers_and_what_is_missing_as_nothing() -> None:
    (message,) = MessageDecoder().feed(encode_message("move", speed=0.25, target=(1, 2.5), why=Late("no")))
    assert isinstance(message.text("why"), Late) and not isinstance(message.kind, Late)
    assert message.number("speed") == 0.25
    assert message.numbers("target") == (1.0, 2.5)
    assert message.numbers("nothing") == ()
    assert message.number("nothing", 7) == 7
