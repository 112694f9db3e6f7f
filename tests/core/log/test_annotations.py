"""Finding what was said, putting words to it, and deleting so that nothing is left."""

from pathlib import Path

import pytest

from core.errors import BadValue, LogError, UnknownName
from core.events import Bookmarked, EpisodeEnded, EpisodeResult, FrameCaptured, Notice, StopRequested
from core.log import sidecar
from core.log.annotations import EpisodeAnnotations
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.search import search
from core.log.store import EpisodeFilter, Store
from tests.core.log import made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def told(path: Path, *texts: str) -> list[str]:
    """Episodes in which these texts were said, one each."""
    ids = []
    with Recorder.open(path) as recorder:
        for text in texts:
            ids.append(recorder.record(made.started()).episode)
            recorder.record(Notice("info", text))
            recorder.record(EpisodeEnded(EpisodeResult.SUCCEEDED, "done"))
    return ids


# --- search ------------------------------------------------------------------------------------------


def test_that_everything_said_and_done_is_found_the_latest_first(path: Path) -> None:
    first, second = told(path, "the café door is ajar", "nothing to see, doors shut")
    with Store.open(path) as store:
        assert [(h.episode, h.number, h.kind) for h in search(store, "door")] == [
            (second, 2, "Notice"),
            (first, 2, "Notice"),
        ]
        assert [h.episode for h in search(store, "CAFE ajar")] == [first]
        assert [h.episode for h in search(store, '"door is"')] == [first]
        assert search(store, '"is door"') == ()
        assert "ajar" in search(store, "ajar")[0].text
        assert store.count(EpisodeFilter(text="door")) == 2
        assert store.episodes(EpisodeFilter(text="shut"))[0].episode == second


def test_that_atoms_questions_and_replies_are_found(path: Path) -> None:
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(2, by="ada")))
    with Store.open(path) as store:
        for words in ("inside mug shelf0", "Is it so", "Yes, 3", "pickup", "ada", "goal believed"):
            assert search(store, words), words


def test_that_what_comes_after_the_end_is_found_too(path: Path) -> None:
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(1)))
        recorder.record(Bookmarked("remarkable", "ada"))
    with Store.open(path) as store:
        assert [h.kind for h in search(store, "remarkable")] == ["Bookmarked"]


@pytest.mark.parametrize("words", ["(", "a OR b", "NEAR(x", "x*", "-x", 'un"closed', "a:b", "%", "Ünïx", "'"])
def test_that_no_sign_breaks_a_search(path: Path, words: str) -> None:
    told(path, "text")
    with Store.open(path) as store:
        if any(c.isalnum() for c in words):
            assert search(store, words) == ()
        else:
            with pytest.raises(BadValue, match="no word"):
                search(store, words)


# --- tags, notes, bookmarks --------------------------------------------------------------------------


def test_that_tags_mark_and_find_episodes(path: Path) -> None:
    first, second = told(path, "a", "b")
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        for episode, tag in ((first, "paper"), (first, "odd"), (second, "odd"), (second, "odd")):
            annotations.tag(episode, tag)
        assert annotations.tags() == ("odd", "paper")
        assert annotations.tags(second) == ("odd",)
        assert store.count(EpisodeFilter(tags=["odd"])) == 2
        annotations.untag(first, "odd")
        assert annotations.tags(first) == ("paper",)
        with pytest.raises(UnknownName):
            annotations.tag("nothing", "odd")


def test_that_notes_and_bookmarks_stand_at_their_moment(path: Path) -> None:
    (episode,) = told(path, "a")
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        annotations.add_note(episode, "look at the 100% handle", "ada", 2)
        annotations.add_note(episode, "a good one")
        assert [(n.number, n.by, n.text) for n in annotations.notes(episode)] == [
            (None, "", "a good one"),
            (2, "ada", "look at the 100% handle"),
        ]
        assert [(h.number, h.kind) for h in search(store, "100% handle")] == [(2, "Note")]
        assert store.db.execute("select number, note, by from bookmarks").fetchall() == [
            (2, "look at the 100% handle", "ada")
        ]


# --- deleting ----------------------------------------------------------------------------------------


def remains(path: Path) -> bytes:
    return b"".join(p.read_bytes() for p in path.parent.rglob("*") if p.is_file())


def test_that_a_deleted_episode_leaves_no_byte_and_its_neighbours_are_whole(path: Path) -> None:
    large, shared = made.frame(1, 300), made.frame(2)
    with Recorder.open(path) as recorder:
        doomed = recorder.record(made.started()).episode
        for frame in (large, shared):
            recorder.record(FrameCaptured(1, frame))
        recorder.record(Notice("info", "embarrassing"))
        given = list(recorder.record_events(made.episode(2, pictures=True)))
        recorder.record(FrameCaptured(3, shared))
        recorder.record(StopRequested(1, "key"))
    former = path.parent / "strips"  # where strips were until November 2026
    for folder in (sidecar.strip(path, doomed).parent, former):
        folder.mkdir()
        for episode in (doomed, given[0].episode):
            (folder / f"{episode}.png").write_bytes(b"embarrassing")
    assert b"embarrassing" in remains(path)
    with Store.open(path) as store:
        with EpisodeAnnotations(store) as annotations:
            annotations.add_note(doomed, "humiliating")
            annotations.tag(doomed, "mortifying")
            annotations.delete(doomed)
            assert [e.episode for e in store.episodes()] == [given[0].episode]
            assert search(store, "embarrassing") == ()
            assert annotations.deleted == (doomed,)
            with pytest.raises(UnknownName):
                store.summary(doomed)
        assert verify(store).is_intact
        assert store.picture(shared.id) == shared.png
        with pytest.raises(LogError):
            store.picture(large.id)
        assert list(store.records(given[0].episode))[: len(given)] == given
        assert search(store, "goal believed")
        store.db.execute("insert into word(word) values ('integrity-check')")
    for folder in (sidecar.strip(path, doomed).parent, former):
        (kept,) = folder.iterdir()
        assert kept.stem == given[0].episode
        kept.unlink()
    left = remains(path)
    for trace in ("embarrassing", "humiliating", "mortifying", doomed, large.id):
        assert trace.encode() not in left
    assert large.png not in left


def test_that_a_deletion_can_be_taken_back_until_the_window_closes(path: Path) -> None:
    first, second = told(path, "aardvark", "zebra")
    with Store.open(path) as store:
        with EpisodeAnnotations(store) as annotations:
            annotations.delete(first)
            annotations.delete(second)
            annotations.undelete(first)
            assert [e.episode for e in store.episodes()] == [first]
        with pytest.raises(LogError, match="cannot be brought back"):
            annotations.undelete(second)
        assert [e.episode for e in store.episodes()] == [first]
        assert search(store, "zebra") == ()


def test_that_an_episode_that_is_being_recorded_cannot_be_deleted(path: Path) -> None:
    with Recorder.open(path) as recorder:
        episode = recorder.record(made.started()).episode
        with (
            Store.open(path) as store,
            EpisodeAnnotations(store) as annotations,
            pytest.raises(LogError, match="end it"),
        ):
            annotations.delete(episode)
