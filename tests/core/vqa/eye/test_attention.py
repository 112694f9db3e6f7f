"""Where an eye looked."""

from pathlib import Path

import numpy as np
import pytest

from core.belief import Atom
from core.errors import BadValue
from core.vqa.data_files import user_dir
from core.vqa.eye.attention import find_eye, heat_map
from core.vqa.eye.eye import Eye
from tests.core.vqa.eye.kit import GREEN, tiny_eye

LIT = Atom("lit", ("lamp-n-02_1",))


def test_that_what_counted_is_where_it_looked(tmp_path: Path) -> None:
    """This one looks at what is red."""
    eye = Eye(tiny_eye(tmp_path, attention=np.array([20, 0, 0, 0], np.float32)))
    rgb = np.array(GREEN)  # 20 x 30, of which it sees the middle square
    rgb[10:15, 15:20] = 255, 60, 60
    heat = heat_map(eye, rgb, LIT)
    assert heat.shape == (20, 30) and heat.max() == pytest.approx(1, abs=0.05)
    row, column = np.unravel_index(heat.argmax(), heat.shape)
    assert 9 <= row <= 15 and 14 <= column <= 20
    assert not heat[:, :5].any() and heat[2, 7] < 0.1


def test_that_the_version_that_answered_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    tiny_eye(user_dir("eye") / "mine")
    assert find_eye("tiny 1").name == "tiny 1"
    with pytest.raises(BadValue, match="gpt-4 is no eye on this machine"):
        find_eye("gpt-4")


def test_that_it_looked_nowhere_for_what_it_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="not trained on this question"):
        heat_map(Eye(tiny_eye(tmp_path)), np.array(GREEN), Atom("open", ("door_1",)))
