"""What the mutations found, one by one."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import zipfile
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.review.replay_video import ReplayVideo, VideoClip
from core.data_file import read_bytes, read_toml
from core.episode_state import EpisodeState
from core.errors import BadFile, ConsoleError, LogError, RobotError
from core.evaluation.job import JobStore
from core.evaluation.outcome import TrialOutcome
from core.evaluation.trial import TRIALS, Design, Trial
from core.events import Record, SupervisionChanged
from core.log.knowledge_store import MAX_CHANGES, KnowledgeStore
from core.state.state_reducer import apply_record
from core.stop.heartbeat import Heartbeat
from core.stop_token import StopToken
from core.vqa.answerers.cached import CachedModel
from core.vqa.calibration import LogisticFit
from core.vqa.endpoint.request_failure import retry_after
from core.vqa.eye.eye import Eye
from robots.omnigibson.worker import messages
from robots.remote.handshake import VERSION, ConnectionRole, greet_console, read_token
from robots.remote.wire_message import WireMessage
from robots.ur5e.vision.calibration_file import read_calibration
from tests.core.log.mutations import super_journal
from tests.core.log.test_knowledge_store import KEPT
from tests.core.vqa.eye.kit import tiny_eye
from tests.hostile.files import HAND_EYE
from tests.hostile.mutations import BOMB_ARRAY

DESIGN = Design(("dkprompt",), ("halve_egg",), ("perfect",), (1.0,), 1)


def test_that_an_error_is_one_sentence_whatever_it_quotes() -> None:
    said = str(BadFile("a\x1b[2J\nb", "found '" + "9" * 5000 + "'"))
    assert "\n" not in said and "\x1b" not in said and len(said) <= 1000
    assert str(ConsoleError("The disk is full: make room.")) == "The disk is full: make room."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "9" * 5000, "thousands of digits"),
        (".".join(["a"] * 20_000) + " = 1", "nested too deep"),  # tomllib takes time to the square
        ('["a"' + ' . "a"' * 100 + "]", "nested too deep"),
    ],
)
def test_that_toml_that_python_cannot_read_is_refused_at_once(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(BadFile, match=said):
        read_toml(tmp_path / "a.toml")


@pytest.mark.parametrize(
    ("old", "new"), [("pose = [0.1", "pose = [1e300"), ("1.57]", "1e300]"), ("fx = 910.0", "fx = 1e300")]
)
def test_that_a_camera_beyond_any_arms_reach_is_no_calibration(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "wrist.toml").write_text(HAND_EYE.replace(old, new, 1))
    with pytest.raises(BadFile, match="must be at most"):
        read_calibration(tmp_path / "wrist.toml")


@pytest.mark.parametrize("slope", [1e300, -1e300])
def test_that_a_steep_calibration_of_confidences_is_still_a_share(slope: float) -> None:
    assert all(0 <= LogisticFit(slope, 0.0, 1).probability(raw) <= 1 for raw in (0.0, 0.5, 1.0))


def trials(path: Path) -> JobStore[Trial, TrialOutcome]:
    return JobStore(path, TRIALS)


@pytest.mark.parametrize("kind", [trials, lambda path: CachedModel(None, path)])  # type: ignore[arg-type]
def test_that_a_journal_beside_a_database_removes_no_other_file(tmp_path: Path, kind: type) -> None:
    path, victim = tmp_path / "a.db", tmp_path / "victim"
    trials(path).close()
    victim.touch()
    path.with_name("a.db-journal").write_bytes(super_journal(path, victim))
    with pytest.raises(LogError, match="not one that this program writes"):
        kind(path)
    assert victim.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "create trigger t after insert on trial begin delete from trial; end",
        "drop table trial; create view trial as with recursive x(settings) as "
        "(select 1 union all select settings + 1 from x) select settings from x",
        "create table passwords(word)",
    ],
)
def test_that_a_database_of_something_else_keeps_no_trials(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "trials.db"
    trials(path).close()
    with sqlite3.connect(path) as db:
        db.executescript(sql)
    db.close()
    with pytest.raises(BadFile, match="more than trials"):
        trials(path)


def test_that_a_trial_with_odd_values_is_refused(tmp_path: Path) -> None:
    path, (trial,) = tmp_path / "trials.db", DESIGN.all_trials()
    with trials(path) as store:
        store.put(trial, TrialOutcome("succeeded", "", True, True, 4, 5, 6, 0, 0, 6, 6, 0.1, 0.2))
        assert trial in store.finished([trial])
    with sqlite3.connect(path) as db:
        db.execute("update trial set steps = 'many'")
    db.close()
    with (
        trials(path) as store,
        pytest.raises(BadFile, match="steps must be a whole number, not 'many'"),
    ):
        store.finished([trial])


@pytest.mark.parametrize(
    "kept",
    [
        "[" * 5000,
        "{",
        '{"text": 5, "model": "m", "tokens": []}',
        '{"text": "yes", "model": "m", "tokens": [1]}',
    ],
)
def test_that_a_kept_reply_with_odd_values_is_refused(tmp_path: Path, kept: str) -> None:
    model = CachedModel(SimpleNamespace(fingerprint=("m",)), tmp_path / "replies.db")  # type: ignore[arg-type]
    with sqlite3.connect(tmp_path / "replies.db") as db:
        db.execute("insert into replies values (?, ?)", (model._key((), ()), kept))
    db.close()
    with pytest.raises(BadFile, match=r"replies\.db"):
        model.ask((), (), StopToken())


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_that_a_pipe_or_a_link_to_nothing_keeps_no_replies_and_no_trials(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for kind in (trials, lambda path: CachedModel(None, path)):  # type: ignore[arg-type]
        with pytest.raises(BadFile, match="no regular file"):
            kind(tmp_path / name)
    assert not (tmp_path / "elsewhere").exists()


# --- eyes ------------------------------------------------------------------------------------------


def test_that_a_head_that_unpacks_to_more_than_it_may_is_refused(tmp_path: Path) -> None:
    folder = tiny_eye(tmp_path / "eye")
    with zipfile.ZipFile(folder / "head.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("place.npy", BOMB_ARRAY)
    with pytest.raises(BadFile, match="it unpacks to more than"):
        Eye(folder)


def test_that_a_trunk_that_was_changed_is_not_read(tmp_path: Path) -> None:
    card = tiny_eye(tmp_path / "eye") / "eye.toml"
    card.write_text(card.read_text().replace('trunk = ""', f'trunk = "{"0" * 64}"'))
    with pytest.raises(BadFile, match="not the trunk that its card names"):
        Eye(card.parent)


@pytest.mark.parametrize("head", [b"", b"PK", BOMB_ARRAY[:200]])
def test_that_a_head_that_is_no_archive_is_refused(tmp_path: Path, head: bytes) -> None:
    folder = tiny_eye(tmp_path / "eye")
    (folder / "head.npz").write_bytes(head)
    with pytest.raises(BadFile, match="it is no head of an eye"):
        Eye(folder)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("side = 16", "side = 20000", "side must be at most 1024"),
        ('questions = ["lit, lamp 1"]', 'questions = ["lit, the moon"]', "what its question 'lit, the moon'"),
    ],
)
def test_that_a_card_beyond_its_files_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    card = tiny_eye(tmp_path / "eye") / "eye.toml"
    assert old in card.read_text()
    card.write_text(card.read_text().replace(old, new))
    with pytest.raises(BadFile, match=said):
        Eye(card.parent)


# --- what is learnt, tokens ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_that_neither_a_pipe_nor_a_device_is_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "doors.json"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    for read in (KnowledgeStore(tmp_path).load, lambda _: read_token(path), lambda _: read_bytes(path, 9)):
        with pytest.raises(BadFile, match="no regular file"):
            read("doors")


def test_that_more_changes_than_a_person_admits_are_refused(tmp_path: Path) -> None:
    store = KnowledgeStore(tmp_path)
    store.update("doors", lambda _: KEPT)
    kept = json.loads(store.path("doors").read_text())
    kept["changes"] = kept["changes"][:1] * (MAX_CHANGES + 1)
    store.path("doors").write_text(json.dumps(kept))
    with pytest.raises(BadFile, match="more than 300 changes"):
        store.load("doors")


# --- what another process says ------------------------------------------------------------------------


def test_that_what_is_no_number_is_read_as_none() -> None:
    message = WireMessage({"big": 10**400, "words": ["\u202e"], "numbers": [1, 2.5], "far": [10**400]})
    assert (message.number("big", 7), message.numbers("words"), message.numbers("far")) == (7, (), ())
    assert message.numbers("numbers") == (1.0, 2.5)


@pytest.mark.parametrize("age", [float("nan"), -5.0])
def test_that_a_beat_from_no_time_is_no_sign_of_life(age: float) -> None:
    heartbeat = Heartbeat()
    heartbeat.beat(age)
    assert heartbeat.age == float("inf")


def test_that_words_that_are_no_text_do_not_pass_for_a_token() -> None:
    hello = {"version": VERSION, "role": ConnectionRole.ROBOT.value, "nonce": "\ud800", "proof": "\ud800"}
    console = SimpleNamespace(send=lambda *_, **__: None, receive=lambda _: WireMessage(hello))
    with pytest.raises(RobotError, match="the token is another one"):
        greet_console(console, b"token")  # type: ignore[arg-type]


class Bomb:
    """What makes a file of this name where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self._path),)


def test_that_what_is_no_message_of_a_worker_is_refused_and_never_unpickled(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb"
    for data in (b"[" * 20_000, b"[]", b"\xff", pickle.dumps(Bomb(bomb))):
        ours, theirs = Pipe()
        with ours, theirs:
            theirs.send_bytes(data)
            theirs.send_bytes(b"")
            with pytest.raises(ValueError):
                messages.receive(ours)
    assert not bomb.exists() and pickle.loads(data) is None and bomb.exists(), "it would have gone off"


def test_that_a_message_of_a_worker_that_is_too_long_is_not_read() -> None:
    ours, theirs = Pipe()
    with ours, theirs:
        os.write(theirs.fileno(), (messages.LIMIT + 1).to_bytes(4, "big"))
        with pytest.raises(OSError):
            messages.receive(ours)


def test_that_a_level_of_supervision_that_there_is_not_changes_nothing() -> None:
    changed = SupervisionChanged("WATCH", "WATCH", "salvaged-7", "WATCH")
    state = apply_record(EpisodeState(), Record("e", 1, 0.0, 0.0, changed))
    assert state.supervision == EpisodeState().supervision


def test_that_a_film_that_is_none_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_text("#EXTM3U\n#EXTINF:1,\n/etc/hostname\n")  # FFmpeg would follow it
    film = ReplayVideo([VideoClip("top", 0.0, 1.0, tmp_path / "film.mp4")])
    assert film.picture("top", 0.5) is None and film._file is None


def test_that_a_date_that_is_no_time_asks_for_no_wait() -> None:
    assert retry_after({"retry-after": f"Mon, 01 Jan {'9' * 20} 00:00:00 GMT"}) is None
