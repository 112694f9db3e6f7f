"""A program that does all that can be done with mutated logs and exports, and says what broke.

    python -m tests.core.log.fuzzing FOLDER FIRST COUNT [all]

It prints one JSON object: how many uses succeeded and were refused in a sentence, what broke, and the
memory that it took at most. `all`: every use of every mutated file, else a few of them.
"""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from core.belief import Verdict
from core.errors import BadValue, ConsoleError
from core.events import AnswersReceived, EpisodeStarted
from core.log.annotations import EpisodeAnnotations
from core.log.export import jsonl, registry, report
from core.log.export.video import captions
from core.log.integrity.salvage import salvage
from core.log.integrity.verify import verify
from core.log.knowledge_store import admitted_in
from core.log.labels import add_label, labels
from core.log.quota import PruneOrder, prune
from core.log.recorder import Recorder
from core.log.rerun_settings import domain_spec_of, external_references
from core.log.search import search
from core.log.store import EpisodeFilter, Store
from core.log.video import segments
from core.pictures import decode_picture
from core.review.catalog import page
from core.review.fork import fork_at_record
from core.review.groups import groups
from core.review.replay import EpisodeReplay
from core.review.review_queue import unlabelled_answers
from core.review.statistics import predicate_statistics, running_shares
from core.text.untrusted_text import sanitise
from core.vqa.eye.teaching.labels import LabelSource, choose, count_labels, read_labels
from tests.core.log import made
from tests.core.log.mutations import mutate_export, mutate_log

SECONDS = 20  # that one use may take
FEW = 2  # uses of a mutated file, when not all


class TooLong(BaseException):
    pass


class Page(HTMLParser):
    """Fails for anything that could act."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "iframe", "object", "embed", "link", "base", "form"), tag
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert name not in ("src", "href") or (value or "").startswith("data:image/png;base64,")


def template(folder: Path) -> tuple[Path, Path]:
    """A log with everything that one can have, and its export."""
    path = folder / "log.db"
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(2, True, "ada", truth=True)))
        list(recorder.record_events(made.episode(1, False)))
        list(recorder.record_events(made.learning()))
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        id = given[0].episode
        annotations.tag(id, "paper")
        annotations.add_note(id, "odd", "ada", 3)
        add_label(
            store,
            id,
            next(r.number for r in given if isinstance(r.event, AnswersReceived)),
            0,
            Verdict.NO,
            "bob",
        )
        film = b"no film, but named as one"
        segments.write_video(path, segments.hashlib.sha256(film).hexdigest(), film)
        hash = segments.hashlib.sha256(film).hexdigest()
        segments.insert(store.db, store.nr(id), segments.Segment("top", 1.0, 2.0, hash, len(film), 0))
        large = made.frame(7, 220)
        store._pictures.add(large.id, large.png)
        jsonl.export(store, [s.episode for s in store.episodes()], folder / "out.jsonl")
    for name in ("again.db", "taken.db"):  # to import into; making one takes longer than the import
        Store.open(folder / name).close()
    return path, folder / "out.jsonl"


# --- what is done with it ----------------------------------------------------------------------------


def reading(path: Path, do: Callable[[Store, list[str]], object]) -> None:
    with Store.open(path, read_only=True) as store:
        do(store, [s.episode for s in store.episodes()])


def tell(store: Store, ids: list[str]) -> None:
    for id in ids:
        records = list(store.records(id))
        tape = EpisodeReplay(records)
        tape.state_at(len(tape) // 2)
        admitted_in(tape.final_state)
        list(captions(records))
        for record in records:
            if isinstance(record.event, EpisodeStarted):
                external_references(record.event)
                domain_spec_of(record.event)


def show_pictures(store: Store, ids: list[str]) -> None:
    for id in ids:
        for record in store.records(id):
            if frame := getattr(record.event, "frame", None):
                try:
                    decode_picture(store.picture(getattr(frame, "id", frame)))
                except BadValue:
                    continue


def fork(store: Store, ids: list[str]) -> None:
    for id in ids:
        records = list(store.records(id))
        fork_at_record(records, len(records) // 2)


def out(path: Path, kind: str) -> None:
    def write(store: Store, ids: list[str]) -> None:
        if kind == "html":
            for id in ids:
                report.export(store, id, path.parent / "out.html")
                Page().feed((path.parent / "out.html").read_text())
        elif kind == "csv":
            for view in ("episodes", "questions", "bookmarks"):
                registry.export_table(store, view, path.parent / "out.csv")
                with (path.parent / "out.csv").open(newline="") as file:
                    assert not any(cell.startswith("=") for row in csv.reader(file) for cell in row)
        else:
            jsonl.export(store, ids, path.parent / "again.jsonl")
            with Store.open(path.parent / "again.db") as other:
                jsonl.import_file(other, path.parent / "again.jsonl")

    reading(path, write)


def count(store: Store, ids: list[str]) -> None:
    every = EpisodeFilter()
    page(store, every, "began", True, 50, 0)
    groups(store, every, ["model"])
    running_shares(store, every)
    predicate_statistics(store, every)
    unlabelled_answers(store, every, "bob")
    prune(store, 1000, PruneOrder.OLDEST)
    search(store, "mug")
    count_labels(choose(read_labels(store), list(LabelSource)))
    for id in ids:
        labels(store, id)
        store.segments(id)
        EpisodeAnnotations(store).notes(id)
        EpisodeAnnotations(store).tags(id)


def delete(path: Path) -> None:
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        for summary in store.episodes():
            annotations.delete(summary.episode)


def watch_films(store: Store, ids: list[str]) -> None:
    for id in ids:
        for segment in store.segments(id):
            store.segment_video(segment.hash)


USES: dict[str, Callable[[Path], object]] = {
    "verify": lambda p: reading(p, lambda store, _: verify(store)),
    "tell": lambda p: reading(p, tell),
    "fork": lambda p: reading(p, fork),
    "pictures": lambda p: reading(p, show_pictures),
    "films": lambda p: reading(p, watch_films),
    "count": lambda p: reading(p, count),
    "html": lambda p: out(p, "html"),
    "csv": lambda p: out(p, "csv"),
    "jsonl": lambda p: out(p, "jsonl"),
    "salvage": lambda p: salvage(p, p.parent / "saved.db"),
    "write": lambda p: Recorder.open(p).close(),
    "delete": delete,  # the last one: it changes most
}


def take(path: Path) -> None:
    with Store.open(path.parent / "taken.db") as store:
        jsonl.import_file(store, path)


# --- and what comes of it ----------------------------------------------------------------------------


def used(use: Callable[[Path], object], path: Path) -> str:
    """ "" for success, "refused" for a sentence, else what broke."""
    signal.alarm(SECONDS)
    try:
        use(path)
    except ConsoleError as error:
        sentence = str(error)
        odd = "\n" in sentence or sanitise(sentence) != sentence or len(sentence) > 1000
        return f"no sentence: {sentence[:300]!r}" if odd else "refused"
    except TooLong:
        return "took too long"
    except BaseException:
        return traceback.format_exc()[-1500:]
    finally:
        signal.alarm(0)
    return ""


def too_long(*_: object) -> None:
    raise TooLong


def fuzz(folder: Path, first: int, number: int, everything: bool) -> dict[str, object]:
    signal.signal(signal.SIGALRM, too_long)
    for name in ("template", "outside"):
        (folder / name).mkdir()
    outside = folder / "outside"
    for name in ("canary", f"{'0' * 64}.mp4", f"{'0' * 64}.png", "0123456789abcdef"):
        (outside / name).write_text(f"untouched {name}")
    untouched = seen(folder)
    template(folder / "template")
    broken: list[object] = []
    succeeded = refused = 0
    for seed in range(first, first + number):
        rng = random.Random(seed)
        shutil.copytree(folder / "template", folder / "case")
        path = folder / "case" / "log.db"
        if rng.random() < 0.75:
            did = mutate_log(path, outside, rng)
            names = list(USES) if everything else [n for n in USES if n in rng.sample(list(USES), FEW)]
            uses = [(name, USES[name], path) for name in names]
        else:
            did = mutate_export(path.with_name("out.jsonl"), rng)
            uses = [("take", take, path.with_name("out.jsonl"))]
        for name, use, file in uses:
            came = used(use, file)
            succeeded += not came
            refused += came == "refused"
            if came not in ("", "refused"):
                broken.append([seed, did, name, came])
        shutil.rmtree(folder / "case")
        if (now := seen(folder)) != untouched:
            broken.append([seed, did, "outside", sorted(untouched.items() ^ now.items())])
            break
    # Not ru_maxrss: that of a child begins with what its parent had when it was started.
    peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    return {"succeeded": succeeded, "refused": refused, "broken": broken, "megabytes": round(peak)}


def seen(folder: Path) -> dict[str, str]:
    """All files but those of the log, with what is in them."""
    files = (p for top in folder.iterdir() if top.name != "template" for p in top.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_text() for p in files}


if __name__ == "__main__":
    print(json.dumps(fuzz(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), "all" in sys.argv)))
