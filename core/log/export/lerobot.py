"""A LeRobot data set (v3.0) of an arm's episodes, to train with. Extras: `datasets`, `video`.

It is a folder, which `LeRobotDataset("mine", root=FOLDER)` reads. A frame has the joints and the gripper's
opening, the same a frame later as the action, the cameras' pictures as video, the step that runs as the
subtask, and what a person corrected there.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import events as ev
from core.errors import BadValue, LogError, MissingPackage
from core.log.rerun_settings import vocabulary_of
from core.log.store import Store
from core.log.video.live_video import RATE
from core.log.video.video_writer import VideoWriter
from core.operator import Choose

FPS = round(RATE)
FILES = 1000  # in a folder
_FILE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
_EACH = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64",
         "task_index": "int64", "subtask_index": "int64", "correction": "string", "next.done": "bool",
         "next.success": "bool"}  # fmt: skip
_LOOKED_AT = 20  # frames for one whose colours count in the statistics
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class ArmEpisode:
    """An episode at FPS frames a second, from the first sample of the arm to the last."""

    id: str
    robot: str
    task: str
    times: NDArray[np.float64]  # of the recorder's clock, one a frame
    state: Floats  # frames x joints and opening
    subtasks: tuple[str, ...]  # the step that runs in each frame, "" for none
    corrections: tuple[str, ...]
    success: bool  # as the simulator knew, else as was believed
    cameras: frozenset[str]

    @property
    def action(self) -> Floats:
        """Return where the arm is a frame later; at the end it stays."""
        return np.concatenate([self.state[1:], self.state[-1:]])


def arm_episode(store: Store, episode: str) -> ArmEpisode | None:
    """Return the episode in frames; None if the log lacks its motion or video. Raises LogError."""
    records = list(store.records(episode))
    samples = [r.event for r in records if isinstance(r.event, ev.MotionSampled)]
    cameras = frozenset(segment.camera for segment in store.segments(episode))
    started = records[0].event if records else None
    if not samples or not cameras or not isinstance(started, ev.EpisodeStarted):
        return None
    at = np.array([t for sample in samples for t in sample.at])
    rows = np.array([(*q, o) for s in samples for q, o in zip(s.joints, s.openings, strict=True)])
    times = at[0] + np.arange(max(1, int((at[-1] - at[0]) * FPS))) / FPS
    state = np.stack([np.interp(times, at, column) for column in rows.T], 1).astype(np.float32)
    words = vocabulary_of(started)
    subtasks, corrections, success = [""] * len(times), [""] * len(times), False
    said = _corrected_facts(store, episode)
    for record in records:
        frame = min(int(np.searchsorted(times, record.monotonic)), len(times) - 1)
        match record.event:
            case ev.StepStarted(_, step):
                subtasks[frame:] = [words.describe_step(step)] * (len(times) - frame)
            case ev.StepFinished():
                subtasks[frame:] = [""] * (len(times) - frame)
            case ev.DecisionMade(_, _, Choose(step)):
                said.setdefault(record.number, []).append(words.describe_step(step))
            case ev.EpisodeEnded(_, _, believed, true):
                success = believed if true is None else true
        corrections[frame] = "; ".join(filter(None, (corrections[frame], *said.get(record.number, ()))))
    goal = ", ".join(map(words.describe_literal, started.goal))
    robot, task = started.settings.get("robot", ""), f"{started.task.replace('_', ' ')}: {goal}"
    return ArmEpisode(
        episode, robot, task, times, state, tuple(subtasks), tuple(corrections), success, cameras
    )


def _corrected_facts(store: Store, episode: str) -> dict[int, list[str]]:
    """Return what a person said of facts otherwise than the model, by the record's number."""
    found: dict[int, list[str]] = {}
    asked = "select number, atom || ': ' || operator_verdict from overrides where episode = ?"
    for number, words in store.rows((int, str), asked, (episode,)):
        found.setdefault(number, []).append(words)
    return found


def export(store: Store, episodes: Sequence[str], to: Path) -> int:
    """Write the folder and return how many frames it has.

    Raises MissingPackage, BadValue, LogError, OSError.
    """
    try:
        import av
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingPackage("A LeRobot data set", "datasets") from None
    to.unlink(missing_ok=True)  # an OSError if there is such a folder
    found = [made for id in episodes[:] if (made := arm_episode(store, id)) is not None]
    cameras, widths = {made.cameras for made in found}, {made.state.shape[1] for made in found}
    if not found:
        raise BadValue("None of these episodes has an arm's motion: record some with --live-video on an arm.")
    if len(widths) > 1 or len(cameras) > 1:
        raise BadValue("These episodes are of different arms or cameras: export those of one at a time.")
    try:
        _Folder(to, pyarrow, parquet, av).write(store, found, sorted(found[0].cameras), episodes)
    except BaseException:
        shutil.rmtree(to, ignore_errors=True)
        raise
    return sum(len(made.times) for made in found)


class _Folder:
    """Writes the data set. One thread."""

    def __init__(self, to: Path, arrow: Any, parquet: Any, av: Any) -> None:
        self._to, self._arrow, self._parquet, self._av = to, arrow, parquet, av

    def write(
        self, store: Store, found: Sequence[ArmEpisode], cameras: Sequence[str], episodes: Sequence[str]
    ) -> None:
        """Write those `found` of these episodes, going through them as each is written."""
        joints = [f"joint_{n}" for n in range(found[0].state.shape[1] - 1)] + ["gripper"]
        vector = {"dtype": "float32", "shape": [len(joints)], "names": joints}
        features: dict[str, Any] = {"observation.state": vector, "action": vector}
        features |= {name: {"dtype": kind, "shape": [1], "names": None} for name, kind in _EACH.items()}
        tasks, subtasks = _numbered(e.task for e in found), _numbered(chain(*(e.subtasks for e in found)))
        rows: list[dict[str, Any]] = []
        first, stats, made_of = 0, _Statistics(), {made.id: made for made in found}
        for number, made in enumerate(made_of[id] for id in episodes if id in made_of):
            self._frames(made, number, first, tasks, subtasks)
            stats.add("observation.state", made.state)
            stats.add("action", made.action)
            row = _row(made, number, first)
            for key in (f"observation.images.{camera}" for camera in cameras):
                height, width = self._video(store, made, number, key, stats)
                shape = {"shape": [height, width, 3], "names": ["height", "width", "channels"]}
                features[key] = {"dtype": "video", **shape, "info": {"video.fps": FPS, "video.codec": "h264"}}
                row |= {f"videos/{key}/{name}": value for name, value in _place(number).items()}
                row |= {f"videos/{key}/from_timestamp": 0.0}
                row |= {f"videos/{key}/to_timestamp": len(made.times) / FPS}
            rows.append(row)
            first += len(made.times)
        self._table(f"meta/episodes/{_FILE.format(chunk_index=0, file_index=0)}.parquet", rows)
        self._words("task", tasks)
        self._words("subtask", subtasks)
        info = {
            "codebase_version": "v3.0", "robot_type": found[0].robot, "total_episodes": len(found),
            "total_frames": first, "total_tasks": len(tasks), "chunks_size": FILES, "fps": FPS,
            "splits": {"train": f"0:{len(found)}"}, "data_path": f"data/{_FILE}.parquet",
            "video_path": f"videos/{{video_key}}/{_FILE}.mp4", "features": features,
        }  # fmt: skip
        (self._to / "meta" / "info.json").write_text(json.dumps(info, indent=1), "utf-8")
        (self._to / "meta" / "stats.json").write_text(json.dumps(stats.figures()), "utf-8")

    def _frames(
        self, made: ArmEpisode, number: int, first: int, tasks: Sequence[str], subtasks: Sequence[str]
    ) -> None:
        task, last = tasks.index(made.task), len(made.times) - 1
        numbers = {words: place for place, words in enumerate(subtasks)}
        rows = [
            {
                "observation.state": state, "action": action, "timestamp": n / FPS, "frame_index": n,
                "episode_index": number, "index": first + n, "task_index": task,
                "subtask_index": numbers[made.subtasks[n]], "correction": made.corrections[n],
                "next.done": n == last, "next.success": n == last and made.success,
            }
            for n, (state, action) in enumerate(zip(made.state.tolist(), made.action.tolist(), strict=True))
        ]  # fmt: skip
        a = self._arrow
        numbers_of = a.list_(a.float32(), made.state.shape[1])
        columns = [("observation.state", numbers_of), ("action", numbers_of)]
        columns += [(name, getattr(a, kind.replace("bool", "bool_"))()) for name, kind in _EACH.items()]
        self._table(f"data/{_FILE.format(**_place(number))}.parquet", rows, a.schema(columns))

    def _table(self, name: str, rows: list[dict[str, Any]], schema: Any = None) -> None:
        (self._to / name).parent.mkdir(parents=True, exist_ok=True)
        self._parquet.write_table(self._arrow.Table.from_pylist(rows, schema=schema), self._to / name)

    def _words(self, name: str, words: Sequence[str]) -> None:
        """Write numbered words as pandas writes a table whose index they are."""
        a = self._arrow
        kinds = ((f"{name}_index", "int64", "int64"), (name, "unicode", "object"))
        described = [
            {"name": column, "field_name": column, "pandas_type": kind, "numpy_type": plain, "metadata": None}
            for column, kind, plain in kinds
        ]
        pandas = {"index_columns": [name], "column_indexes": [], "columns": described, "pandas_version": "2"}
        columns = [(f"{name}_index", a.int64()), (name, a.string())]
        schema = a.schema(columns, {"pandas": json.dumps(pandas)})
        rows = [{f"{name}_index": number, name: said} for number, said in enumerate(words)]
        self._table(f"meta/{name}s.parquet", rows, schema)

    def _video(
        self, store: Store, made: ArmEpisode, number: int, key: str, stats: _Statistics
    ) -> tuple[int, int]:
        """Write what a camera showed, one picture a frame, and return its height and width."""
        path = self._to / "videos" / key / f"{_FILE.format(**_place(number))}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        shots = self._shots(store, made.id, key.rpartition(".")[2])
        if (now := next(shots, None)) is None:
            raise LogError(f"The video of {made.id} shows nothing: verify the log.")
        coming = next(shots, None)
        height, width = now[1].shape[:2]
        video = VideoWriter(path, width, height, FPS)
        try:
            for frame, time in enumerate(made.times):
                while coming is not None and coming[0] <= time:
                    now, coming = coming, next(shots, None)
                video.add(now[1], frame / FPS)
                if frame % _LOOKED_AT == 0:
                    stats.add(key, now[1].reshape(-1, 3) / np.float32(255))
        finally:
            video.close()
        return height + height % 2, width + width % 2

    def _shots(self, store: Store, episode: str, camera: str) -> Iterator[tuple[float, NDArray[np.uint8]]]:
        """Yield each picture of a camera with its time of the recorder's clock."""
        for segment in store.segments(episode):
            if segment.camera != camera:
                continue
            try:
                with self._av.open(io.BytesIO(store.segment_video(segment.hash))) as file:
                    for frame in file.decode(video=0):
                        yield segment.started + frame.time, frame.to_ndarray(format="rgb24")
            except self._av.FFmpegError as error:
                raise LogError(f"A video of {episode} cannot be read ({error}): verify the log.") from error


class _Statistics:
    """Of each feature, over all that is added: rows x numbers."""

    def __init__(self) -> None:
        self._parts: dict[str, list[tuple[int, NDArray[Any]]]] = {}

    def add(self, name: str, rows: NDArray[Any]) -> None:
        sums = np.stack([rows.min(0), rows.max(0), rows.mean(0), (rows.astype(float) ** 2).mean(0)])
        self._parts.setdefault(name, []).append((len(rows), sums))

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return them in LeRobot's form; of pictures a number a channel, channels x 1 x 1."""
        found = {}
        for name, parts in self._parts.items():
            counts, all_sums = np.array([count for count, _ in parts]), np.stack([sums for _, sums in parts])
            mean, squares = (np.average(all_sums[:, n], axis=0, weights=counts) for n in (2, 3))
            std = np.sqrt(np.maximum(squares - mean**2, 0))
            kinds = {"min": all_sums[:, 0].min(0), "max": all_sums[:, 1].max(0), "mean": mean, "std": std}
            shape = (-1, 1, 1) if name.startswith("observation.images") else (-1,)
            found[name] = {kind: values.reshape(shape).tolist() for kind, values in kinds.items()}
            found[name]["count"] = [int(counts.sum())]
        return found


def _numbered(words: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _place(number: int) -> dict[str, int]:
    return {"chunk_index": number // FILES, "file_index": number % FILES}


def _row(made: ArmEpisode, number: int, first: int) -> dict[str, Any]:
    place = {f"data/{name}": value for name, value in _place(number).items()}
    own = {"meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0, "log_episode": made.id}
    span = {"dataset_from_index": first, "dataset_to_index": first + len(made.times)}
    return {"episode_index": number, "tasks": [made.task], "length": len(made.times), **place, **span, **own}
