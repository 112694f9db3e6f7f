"""The reader against distinct replies that grammars compose, labelled by what their authors mean."""

from collections import Counter

import pytest

from core.belief import Verdict
from core.vqa.replies.reply_parser import parse_verdicts
from tests.core.vqa.corpus.draw import Tally, replies, tally

SEEDS = {
    "first": 1,
    "second": 7,
    "third": 11,
    "fourth": 23,
    "fifth": 31,
    "sixth": 43,
    "seventh": 53,
    "eighth": 61,
}


def read(corpus: str, size: int) -> Tally:
    return tally(replies(corpus, SEEDS[corpus], size), parse_verdicts)


def test_that_the_tally_tells_a_wrong_reading_from_a_lost_answer() -> None:
    drawn = [one for one in replies("first", 1, 1) if one.meant in ((Verdict.YES,), (Verdict.NO,))]
    meant = {one.text: one.meant[0] for one in drawn}
    swapped = tally(drawn, lambda text, count: (meant[text].opposite,))
    silent = tally(drawn, lambda text, count: (Verdict.UNKNOWN,) * count)
    assert len(swapped.wrong) == len(silent.lost) == len(drawn) and not silent.wrong


def test_that_of_a_sample_none_is_read_as_what_its_author_does_not_mean() -> None:
    read_ones = [read(corpus, 4) for corpus in SEEDS]
    assert sum(one.read.total() for one in read_ones) >= 2000
    assert [one for counts in read_ones for one in counts.wrong] == []


@pytest.mark.long
@pytest.mark.parametrize("corpus", SEEDS)
def test_that_at_most_one_in_ten_thousand_is_read_wrongly(corpus: str) -> None:
    counts = read(corpus, 1000)
    lost = Counter(one.family for one in counts.lost)
    by_family = ", ".join(f"{name} {number} of {counts.read[name]}" for name, number in lost.most_common())
    print(f"\n{corpus}: {counts.read.total():,} replies, {len(counts.wrong)} wrong, {lost.total():,} lost")
    print(f"lost: {by_family}")
    assert counts.read.total() >= 30_000
    assert len(counts.wrong) * 10_000 <= counts.read.total(), counts.wrong[:20]
