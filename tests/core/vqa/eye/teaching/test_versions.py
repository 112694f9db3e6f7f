"""Versions of an eye: kept, used, gone back to; and the old one stays in force whatever goes wrong."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadFile, BadValue, UnknownName
from core.vqa.data_files import user_dir
from core.vqa.eye import eye_file
from core.vqa.eye.eye import Eye
from core.vqa.eye.eye_file import eye_folders
from core.vqa.eye.teaching import versions
from core.vqa.eye.teaching.versions import activate, find_version, keep, revert, stage_version
from core.vqa.registry import make_answerer
from tests.core.vqa.eye.kit import TRUNK, tiny_eye


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give it a data folder, and an eye that somebody put there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(eye_file, "RESOURCES", tmp_path / "shipped")
    return tiny_eye(user_dir("eye") / "mine")


def version(name: str, parent: str = "1") -> Eye:
    eye = Eye(find_version("tiny").folder)
    return eye.with_head(replace(eye.card, version=name, parent=parent), eye.head)


def in_force() -> list[str]:
    return [found.card.version for found in versions.versions() if found.in_force]


def test_that_a_kept_version_is_in_force_and_one_can_go_back_and_on() -> None:
    keep(stage_version(version("2"), TRUNK))
    assert in_force() == ["2"] and make_answerer("eye").name == "tiny 2"
    assert [found.card.version for found in versions.versions()] == ["1", "2"]
    assert revert("tiny").card.version == "1" and make_answerer("eye").name == "tiny 1"
    activate("tiny", "2")
    keep(stage_version(version("3", "2"), TRUNK))
    assert revert("tiny").card.version == "2" and in_force() == ["2"]


def test_that_a_shipped_eye_comes_back_into_force(data: Path, tmp_path: Path) -> None:
    (tmp_path / "shipped" / "eye").mkdir(parents=True)
    data.rename(tmp_path / "shipped" / "eye" / "tiny")
    assert in_force() == ["1"]
    keep(stage_version(version("2"), TRUNK))
    assert in_force() == ["2"]
    assert revert("tiny").folder.is_relative_to(tmp_path / "shipped") and len(eye_folders()) == 1


def _cut(folder: Path) -> None:
    trunk = folder / "trunk.onnx"
    trunk.write_bytes(trunk.read_bytes()[:100])


def _other_size(folder: Path) -> None:
    card = folder / "eye.toml"
    card.write_text(card.read_text().replace("channels = 4", "channels = 5"))


def _no_head(folder: Path) -> None:
    (folder / "head.npz").write_bytes(b"PK")


@pytest.mark.parametrize("spoil", [_cut, _other_size, _no_head])
def test_that_a_broken_version_is_refused_and_the_old_one_stays(spoil: Callable[[Path], None]) -> None:
    keep(stage_version(version("2"), TRUNK))
    revert("tiny")
    spoil(find_version("tiny", "2").folder)
    with pytest.raises(BadFile) as caught:
        activate("tiny", "2")
    assert "\n" not in str(caught.value) and in_force() == ["1"]


def test_that_a_full_disk_leaves_the_old_version_and_no_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy", full)
    with pytest.raises(BadFile, match=r"No space left on device\); the eye stays as it was"):
        keep(stage_version(version("2"), TRUNK))
    assert in_force() == ["1"] and not list(user_dir("eyes").glob("*/*"))


def test_that_an_unknown_name_is_one_sentence() -> None:
    with pytest.raises(UnknownName, match="no eye named 'tinny': did you mean tiny"):
        activate("tinny", "1")
    with pytest.raises(UnknownName, match="no version named '7'"):
        activate("tiny", "7")
    with pytest.raises(BadValue, match="was not taught"):
        revert("tiny")
