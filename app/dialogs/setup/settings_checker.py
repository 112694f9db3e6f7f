"""Check settings before an episode is started; each finding has its reason."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from app.dialogs.setup.domain_probe import ProbeResult, SetupCheck, probe_domain
from core.arm.arm_capabilities import PreflightCheck
from core.config import Settings
from core.errors import ConsoleError, MissingPackage
from core.parameters import parameters_of
from core.ports import Embodiment
from core.robots import RobotEntry, start_check
from core.stop_token import StopToken
from core.text.untrusted_text import one_line
from core.vqa.registry import SimulatedOptions, answerer_entry

if TYPE_CHECKING:
    from core.vqa.endpoint.presets import EndpointPreset

DEFAULT = "The eye if it was trained on the task's questions, else perfect, which reads the simulator's truth"
REPLY = 160  # characters of a raw reply
MOST_NAMED = 5  # models of a server in a sentence
FILMED = "Live video takes about 5 MB per minute and camera; a full log deletes it first"
LOW_DISK_SPACE = 200_000_000  # bytes free, below which a person should know
_TRIED = set[tuple[str, str, str]]()  # models that have answered about a picture, since this program began


@dataclass(frozen=True)
class SettingsReport:
    """What is known about some settings; if `blocked`, they cannot be used."""

    settings: Settings
    outline: ProbeResult
    checks: tuple[SetupCheck, ...]
    embodiment: Embodiment | None = None  # of the chosen robot, as far as its preflight could tell

    @property
    def blocked(self) -> str:
        return next((c.text for c in self.checks if c.state == "fault"), "")


def check_settings(
    settings: Settings, cancel: StopToken, logs: Path, robots: str = "", test: bool = False
) -> SettingsReport:
    """Run all checks of these settings, which may take seconds. Not on the GUI thread. Raises Cancelled.

    `robots` names the table of robots as "module:NAME". The chosen one is only listened to. With `test` the
    model is asked ten questions, which may cost money.
    """
    found = probe_domain(settings, cancel, robots)
    checks = list(found.checks)
    embodiment = None
    if robots and settings.robot and settings.robot not in found.incapable_robots:
        embodiment, lines = check_robot(resolve_name(robots)[settings.robot], settings, found.begins)
        checks += lines
    cancel.check()
    real = embodiment is Embodiment.REAL
    looks: tuple[tuple[str, Callable[[], Iterable[SetupCheck]]], ...] = (
        ("Answerer", lambda: _tested(settings, cancel) if test else ()),
        ("Answerer", lambda: (_answerer(settings, cancel),)),
        ("Method", lambda: _error_rates(settings)),
        ("Answerer", lambda: check_truth(resolve_name(robots)[settings.robot], settings) if real else ()),
    )
    for name, look in looks:
        try:
            checks += look()
        except ConsoleError as error:
            checks.append(SetupCheck(name, "fault", str(error)))
    checks += (*_video(settings), _disk(logs))
    return SettingsReport(settings, found, tuple(checks), embodiment)


def _answerer(settings: Settings, cancel: StopToken) -> SetupCheck:
    from core.vqa.answerers.profiles import load_profile, profile_names

    name = settings.answerer
    if not name:
        return SetupCheck("Answerer", "ready", DEFAULT)
    if name in profile_names():
        return SetupCheck("Answerer", "ready", f"Simulated from the truth: {load_profile(name).about}")
    if name.endswith((".json", ".toml")) or "+" in name:
        return SetupCheck("Answerer", "info", f"{name}: checked when the episode is made")
    from core.vqa.endpoint.api_keys import find_key, key_status
    from core.vqa.endpoint.presets import load_preset
    from core.vqa.registry import OTHER_ANSWERERS

    if name in OTHER_ANSWERERS:
        own_file = settings.options_for("answerer").get("folder")  # it is read when the episode is made
        lacks = None if own_file else OTHER_ANSWERERS[name].missing()
        words = f"{lacks.problem}: {lacks.remedy}" if lacks else OTHER_ANSWERERS[name].summary
        return SetupCheck("Answerer", "fault" if lacks else "ready", words)
    preset_name, _, model = name.partition(":") if "://" not in name else ("custom", "", "")
    preset = load_preset(preset_name, settings.model or model, name if "://" in name else "")
    find_key(preset)
    where = "on this computer" if preset.local else "pictures are sent there"
    key = f"; its key: {key_status(preset)[1]}" if preset.keys else ""
    words = f"{preset.model or 'the model'} at {preset.host}: {where}{key}"
    doubt = _not_served(preset, settings, cancel)
    return SetupCheck("Answerer", "doubt" if doubt else "ready", doubt or words)


def _not_served(preset: EndpointPreset, settings: Settings, cancel: StopToken) -> str:
    """Return why a server of one's own may not serve this model: by its list, then by its answers about a
    picture; "" if it does. A model that costs money is asked only when a person presses Test.
    """
    from core.vqa.doctor import try_model
    from core.vqa.endpoint.model_list import SERVERS_OWN, listed_models
    from core.vqa.registry import ModelSettings

    if preset.needs_key or not preset.base_url.startswith("http://"):
        return ""
    listed = listed_models(preset, cancel)
    if listed is None:
        return f"{preset.host} does not say now which models it has: is it running? {preset.start}"
    names = [model.name for model in listed]
    if preset.model not in (SERVERS_OWN, *names, *(name.partition(":")[0] for name in names)):
        others = ", ".join(names[:MOST_NAMED]) or "none"
        return f"{preset.host} lists no model {preset.model!r}: it has {others}"
    tried = (settings.answerer, settings.model, settings.prompt)
    if tried not in _TRIED:
        asking = ModelSettings(settings.model, settings.prompt)
        if problem := try_model(settings.answerer, asking, cancel):
            return f"{preset.host} was asked one question with a picture: {problem}"
        _TRIED.add(tried)
    return ""


def _tested(settings: Settings, cancel: StopToken) -> Iterator[SetupCheck]:
    """Yield what came back from the model: how much of it is right, in what time and at what cost."""
    from app.cli.doctor import model_findings
    from core.vqa.doctor import diagnose_models
    from core.vqa.registry import ModelSettings

    for one in diagnose_models(settings.answerer, ModelSettings(settings.model, settings.prompt), cancel):
        for finding in model_findings(one):
            said = ". ".join(filter(None, (one_line(finding.found, REPLY), finding.mend)))
            state = "doubt" if finding.level == "wrong" else "ready"
            yield SetupCheck("Test", state, f"{finding.name}: {said}")


def _error_rates(settings: Settings) -> Iterable[SetupCheck]:
    """Read the profile whose error rates the method is to use, if one is named."""
    from core.methods.careful.policy import Careful
    from core.vqa.answerers.profiles import load_profile

    name = settings.options_for("method").get("error_rates")
    if name and settings.method == Careful.name:
        load_profile(name)
    return ()


def _video(settings: Settings) -> Iterator[SetupCheck]:
    if settings.live_video:
        lacks = "" if find_spec("av") else str(MissingPackage("Live video", "video"))
        yield SetupCheck("Video", "doubt" if lacks else "info", lacks or FILMED)


def _disk(logs: Path) -> SetupCheck:
    place = next((p for p in (logs, *logs.parents) if p.exists()), None)
    if place is None:
        return SetupCheck("Log", "doubt", f"{logs} cannot be checked")
    free = shutil.disk_usage(place).free
    words = f"Episodes are kept; {free / 1e9:.0f} GB free"
    words = words if free > 1e9 else f"Only {free / 1e6:.0f} MB free for episodes"
    return SetupCheck("Log", "ready" if free > LOW_DISK_SPACE else "doubt", words)


log = logging.getLogger(__name__)

LINES = 4  # of failed checks, if there are at least two more
DATA = "data"  # the check without which there is no link, and no episode


def check_robot(
    entry: RobotEntry, settings: Settings, begins: Collection[str] | None = None
) -> tuple[Embodiment | None, tuple[SetupCheck, ...]]:
    """Return what the robot of these settings is, as far as that is known, and a line for each failed check.

    `begins` are the atoms that hold as the task begins, None if that is not known. The robot is only listened
    to, which may take seconds. Not on the GUI thread.
    """
    if entry.missing():
        return None, ()  # the dialog says so
    try:
        report = entry.preflight(entry.read_options(settings.options_for("robot")))
    except ConsoleError as error:
        return None, (SetupCheck("Preflight", "fault", str(error)),)
    except Exception as error:  # of a plug-in
        log.exception("the preflight of %s broke", entry.name)
        words = f"{entry.title}: its preflight broke ({type(error).__name__}: {error})"
        return None, (SetupCheck("Preflight", "doubt", words),)
    checks = report.checks
    if report.start and begins is not None:
        checks += (start_check(report.start, begins),)
    if not checks:
        return report.embodiment, ()
    failed = tuple(_line(entry.title, check) for check in checks if not check.ok)
    if (more := len(failed) - LINES) > 1:
        words = f"And {more} more, which doctor --robot {entry.name} lists in a terminal"
        failed = (*failed[:LINES], SetupCheck("Preflight", "doubt", words))
    good = SetupCheck("Preflight", "ready", _passed(entry.title, report.embodiment, checks))
    return report.embodiment, failed or (good,)


def check_truth(entry: RobotEntry, settings: Settings) -> tuple[SetupCheck, ...]:
    """Return a line where the answerer needs a simulator's truth, which no robot tells that counts as REAL.

    Raises ConsoleError for an answerer that there is not.
    """
    may_say = any(parameter.name == "simulator" for parameter in parameters_of(entry.options))
    remedy = "choose a model" + (", or say that it is a simulator" if may_say else "")
    if not settings.answerer:
        words = f"{entry.title} counts as REAL: unless an eye of your own knows the task, {remedy}"
        return (SetupCheck("Answerer", "doubt", words),)
    if answerer_entry(settings.answerer).options is not SimulatedOptions:
        return ()
    words = f"{settings.answerer} reads a simulator's truth, and what counts as REAL tells none: {remedy}"
    return (SetupCheck("Answerer", "fault", words),)


def _line(title: str, check: PreflightCheck) -> SetupCheck:
    remedy = f": {check.remedy}" if check.remedy else ""
    state = "fault" if check.name == DATA else "doubt"
    return SetupCheck("Preflight", state, f"{title}, {check.name}: {check.reason}{remedy}")


def _passed(title: str, embodiment: Embodiment | None, checks: tuple[PreflightCheck, ...]) -> str:
    what = f" ({embodiment.value})" if embodiment is not None else ""
    found = "; ".join(check.reason.rstrip(".") or check.name for check in checks)
    return f"{title}{what} is ready: {found}. It was only listened to"
