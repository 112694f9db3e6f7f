"""The push button of the window: plain, primary or quiet, with icon, key cap and hold-to-confirm."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QLayout, QProgressBar, QPushButton, QSizePolicy, QToolButton

from app.controls.layout import PlainLabel, ThemedMixin, label, restyle, row, set_property
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.text.untrusted_text import sanitise

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)  # the second of two is one as well
LOOKS = (  # of an icon
    ("accent", QIcon.Mode.Normal, QIcon.State.On),
    ("faint", QIcon.Mode.Disabled, QIcon.State.Off),
)
MISSED_TICKS = 0.4  # seconds without a tick of a hold: what happened in them was not seen


def icon_of(name: str, size: int, tone: str) -> QIcon:
    """Return an icon in this colour of the theme, and in those of what is on, and of what is disabled."""
    shown = QIcon()
    for shade, mode, state in ((tone, QIcon.Mode.Normal, QIcon.State.Off), *LOOKS):
        shown.addPixmap(icons.pixmap(name, size, shade), mode, state)
    return shown


class Button(ThemedMixin, QPushButton):
    """A push button. With `hold` it is activated only after it was held down for `tokens.HOLD` seconds.

    A hold ends when the button is released, when the pointer leaves it, and when it loses the focus.
    """

    activated = Signal()  # clicked, or held long enough
    hold_began = Signal()  # to be held
    hold_ended = Signal()  # let go, or held long enough

    def __init__(
        self, words: str = "", icon: str = "", key: str = "", kind: str = "plain", height: int = t.H_BUTTON
    ) -> None:
        super().__init__()
        self.icon_name, self.key, self.hold = icon, key, False
        self.short = ""  # words instead of the action's, where room is scarce
        self._action: QAction | None = None
        self._do: Callable[[], object] | None = None
        self._drawn: tuple[object, ...] = ()
        self._progress = self._seen = 0.0
        self._cap: PlainLabel | None = None
        self._end: QLayout  # of the cap
        self._bar: QProgressBar | None = None  # of a hold
        self._filling = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=round(t.HOLD * 1000))
        self._filling.valueChanged.connect(self._fill)
        self._filling.finished.connect(self._filled)
        self.setFont(styling.font("label"))
        self.setIconSize(QSize(14, 14))
        self.setFixedHeight(height)
        self.setText(words)
        self.setProperty("kind", kind)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        self.setAccessibleName(words)
        self.clicked.connect(self._clicked)

    def bind_action(
        self,
        action: QAction,
        key: str = "",
        icon: str = "",
        short: str = "",
        do: Callable[[], object] | None = None,
    ) -> None:
        """Show an action's text and enabled state, with the reason if it is disabled, and trigger it when
        activated, or `do` something in its place.
        """
        if self._action is not None:
            self._action.changed.disconnect(self._sync)
        self._action, self._do = action, do or action.trigger
        self.key, self.icon_name, self.short = key, icon, short
        action.changed.connect(self._sync)
        self._sync()

    def allow(self, reason: str, tip: str = "") -> None:
        """Enable the button, whose tooltip is `tip`; with a `reason` disable it, and say why."""
        self.setEnabled(not reason)
        set_tooltip(self, f"Not now: {reason}." if reason else tip)

    def relabel(self, words: str, icon: str | None = None) -> None:
        if icon is not None:
            self.icon_name = icon
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(words)
            self.updateGeometry()
        self._draw()

    def _sync(self) -> None:
        if self._action is not None:
            self.relabel(self.short or self._action.text())
            if not self._action.isEnabled() and self.hasFocus():
                self.clearFocus()  # else the focus, and Enter, would move on to some other button
            self.setEnabled(self._action.isEnabled())
            self.setToolTip(self._action.toolTip())

    def _clicked(self) -> None:
        if not self.hold:
            self._finish()

    def _finish(self) -> None:
        if self._do is not None:
            self._do()
        self.activated.emit()

    # --- holding ---------------------------------------------------------------------------------------

    @property
    def holding(self) -> bool:
        return self._filling.state() is QVariantAnimation.State.Running

    def begin_hold(self) -> None:
        """Begin a hold, as when its key is pressed."""
        if self.hold and self.isEnabled() and not self.holding:
            self.hold_began.emit()
            self._seen = time.monotonic()
            self._filling.start()

    def cancel_hold(self) -> None:
        if self.holding:
            self._filling.stop()
            self.hold_ended.emit()
        self._show_held(0.0)

    def _fill(self, value: float) -> None:
        """Advance the hold. A frozen GUI thread may have missed the release, so a long gap counts only a
        little.
        """
        now = time.monotonic()
        late, self._seen = now - self._seen > MISSED_TICKS, now
        if late and self.holding:
            long = self._filling.duration()
            held = self._progress * long + MISSED_TICKS * 1000
            self._filling.setCurrentTime(round(min(held, 0.99 * long)))  # calls this again
            return
        self._show_held(value)

    def _show_held(self, part: float) -> None:
        self._progress = part
        if self._bar is None:
            self._bar = QProgressBar(self, textVisible=False, maximum=1000)
            self._bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar.resize(self.size())
        self._bar.setVisible(part > 0)
        self._bar.setValue(round(1000 * part))

    def _filled(self) -> None:
        if self._progress >= 1.0:
            self._show_held(0.0)
            self._finish()
            self.hold_ended.emit()

    def event(self, event: QEvent) -> bool:
        """Take Enter while focused, so that it is no shortcut of the window; begin and end a hold."""
        kind = event.type()
        if isinstance(event, QKeyEvent) and event.key() in ENTER:
            if kind is QEvent.Type.KeyPress:
                self.begin_hold() if self.hold else self.click()
            elif kind is QEvent.Type.KeyRelease:
                self.cancel_hold()
            event.accept()
            return True
        taken = bool(super().event(event))
        outside = False
        if isinstance(event, QMouseEvent):
            if kind in PRESSES and event.button() is Qt.MouseButton.LeftButton:
                self.begin_hold()
            outside = not self.rect().contains(event.position().toPoint())
        if kind in (QEvent.Type.MouseButtonRelease, QEvent.Type.FocusOut) or (outside and self.holding):
            self.cancel_hold()
        return taken

    # --- looks -----------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        return str(self.property("kind"))

    @kind.setter
    def kind(self, kind: str) -> None:
        set_property(self, "kind", kind)
        for part in filter(None, (self._cap, self._bar)):
            restyle(part)
        self._draw()

    def setText(self, words: str) -> None:
        super().setText(sanitise(words).replace("&", "&&"))  # no letter is a key of its own

    def text(self) -> str:
        return super().text().replace("&&", "&")

    def _least(self) -> float:
        cap = max(16, paint.width(self.key, "caption") + 10) + t.S if self.key else 0
        return (20 if self.icon_name else 0) + paint.width(self.text(), "label") + cap

    def sizeHint(self) -> QSize:
        return QSize(round(self._least() + 2 * t.M + 0.5), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self._least() + 2 * t.XS + 0.5), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._draw()

    def _draw(self) -> None:
        """Show icon and key; where it is too narrow, the words before their ornaments."""
        inner, room = self._least(), self.width() - 2 * t.XS
        capped, roomy = bool(self.key) and inner <= room, inner + t.S <= room
        tone = "on_accent" if self.kind == "primary" else "muted" if self.kind == "quiet" else "text"
        icon = self.icon_name if paint.width(self.text(), "label") + 20 <= room else ""
        drawn = self.key, capped, roomy, icon, styling.colour(tone).rgba()
        if drawn == self._drawn:
            return
        self._drawn = drawn
        if capped and self._cap is None:
            self._cap = label("", "caption")
            self._cap.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._end = row(1, self._cap)
            self.setLayout(self._end)
        if self._cap is not None:
            self._cap.setText(self.key)
            self._cap.setVisible(capped)
            self._end.setContentsMargins(0, 0, t.S if roomy else t.XS, 0)
        self.setIcon(icon_of(icon, 14, tone) if icon else QIcon())
        set_property(self, "capped", capped)


class ToolButton(ThemedMixin, QToolButton):
    """A 16 px icon button with an accessible name and a tooltip, for headers and bars."""

    def __init__(self, icon: str, name: str, checkable: bool = False, size: int = 24) -> None:
        super().__init__()
        self._icon_name = icon
        self.setCheckable(checkable)
        self.setFixedSize(size, size)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.rename(name)

    def bind_action(self, action: QAction) -> None:
        """Trigger an action; disabled with the action, with its reason as the tooltip."""

        def follow() -> None:
            self.setEnabled(action.isEnabled())
            self.setToolTip(action.toolTip())

        action.changed.connect(follow)
        self.clicked.connect(action.trigger)
        follow()

    def rename(self, name: str, icon: str = "") -> None:
        self._icon_name = icon or self._icon_name
        self.setAccessibleName(name)
        set_tooltip(self, name)
        self._draw()

    def _draw(self) -> None:
        self.setIcon(icon_of(self._icon_name, 16, "muted"))
