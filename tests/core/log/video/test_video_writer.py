"""Videos of an episode, read back."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadFile, MissingPackage
from core.log.video.video_writer import VideoWriter

needs_av = pytest.mark.skipif(find_spec("av") is None, reason="the extra `video` is not installed")


def grey(level: int, height: int = 120, width: int = 160) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def shown(path: Path) -> list[tuple[float, int]]:
    """Time and grey level of every picture of a film."""
    import av

    with av.open(str(path)) as film:
        assert film.streams.video[0].codec_context.name == "h264"
        return [
            (float(f.time), round(float(f.to_ndarray(format="rgb24").mean()))) for f in film.decode(video=0)
        ]


@needs_av
def test_that_pictures_come_back_at_their_times(tmp_path: Path) -> None:
    film = VideoWriter(tmp_path / "a.mp4", 160, 120)
    for k in range(4):
        film.add(grey(40 + 50 * k), k * 0.5)
    film.close()
    film.close()
    found = shown(film.path)
    assert [t for t, _ in found] == pytest.approx([0, 0.5, 1.0, 1.5])
    assert [level for _, level in found] == pytest.approx([40, 90, 140, 190], abs=4)


@needs_av
def test_that_a_folder_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be written"):
        VideoWriter(tmp_path / "nowhere" / "a.mp4", 160, 120)


def test_that_a_missing_package_is_named_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingPackage, match=r"\[video\]"):
        VideoWriter(tmp_path / "a.mp4", 160, 120)


FULL = """
import numpy as np
from pathlib import Path
from core.log.video.video_writer import VideoWriter
film, noise = VideoWriter(Path("/dev/full"), 64, 48), np.random.default_rng(0)
for k in range(300):
    try:
        film.add(noise.integers(0, 256, (48, 64, 3), np.uint8), k)
    except OSError as error:
        print(error.strerror)
try:
    film.close()
except OSError as error:
    print(error.strerror)
"""


@needs_av
def test_that_a_full_disk_ends_the_video_and_not_the_program() -> None:
    """PyAV crashes where a file is written to after its head could not be."""
    done = subprocess.run(
        [sys.executable, "-c", FULL], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "No space left on device\n")
