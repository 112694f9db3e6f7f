"""The style sheet, for what neither the palette nor our painting covers."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

_STYLE_SHEET = Template("""
QToolTip { background: $ink; color: $paper; border: 0; padding: 4px 8px; }
QMainWindow, QDialog { background: $surface; }
QMainWindow::separator:vertical { background: $surface; border-right: 1px solid $hair; width: 4px; }
QMainWindow::separator:horizontal { background: $surface; border-bottom: 1px solid $hair; height: 4px; }
QMainWindow::separator:hover { background: $accent; }

Separator { background: $hair; border: 0; }
QLabel { background: transparent; }
QLabel[tone="ink"] { color: $ink; }
QLabel[tone="muted"] { color: $muted; }
QLabel[tone="faint"] { color: $faint; }
QLabel[tone="accent"] { color: $accent; }
QLabel[tone="doubt"] { color: $doubt; }
QLabel[tone="fault"] { color: $fault; }

QLineEdit, QPlainTextEdit, QTextBrowser { background: $sunken; color: $text; border: 1px solid $edge;
    border-radius: 4px; padding: 0 6px; selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit { min-height: 26px; }
QLineEdit:disabled { color: $faint; border-color: $hair; }
QLineEdit:focus, QPlainTextEdit:focus, QTextBrowser:focus { border-color: $accent; }
QLineEdit[bad="true"] { border-color: $fault_fill; }
QAbstractSpinBox { background: $sunken; color: $text; border: 1px solid $edge; border-radius: 4px;
    padding: 0; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { subcontrol-origin: border; width: 0px;
    border-width: 0; }
QAbstractSpinBox:focus { border-color: $accent; }
QAbstractSpinBox QLineEdit { border: 0; background: transparent; min-height: 0; padding: 0 6px; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $edge; }

QMenu { background: $surface; color: $text; border: 1px solid $edge; padding: 4px; }
QMenu::item { padding: 5px 20px 5px 8px; border-radius: 4px; }
QMenu::icon { padding-left: 8px; }
QMenu::item:selected { background: $accent_soft; color: $ink; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $hair; margin: 4px 8px; }
QMenu::indicator { width: 14px; height: 14px; left: 6px; }

QTableView, QListView, QTreeView { background: $surface; border: 0; outline: 0; }
QHeaderView { background: $surface; border: 0; }
QHeaderView::section { background: $surface; color: $muted; border: 0; border-bottom: 1px solid $hair;
    padding: 0; font-size: 11px; font-weight: 500; }
QHeaderView::section:first { padding-left: 12px; }
QHeaderView::section:last { padding-right: 12px; }
QScrollArea { background: $surface; border: 0; }
QScrollArea > QWidget > QWidget { background: $surface; }
QScrollBar:vertical { background: transparent; width: 8px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 8px; margin: 0; }
QScrollBar::handle { background: $edge; border-radius: 4px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { height: 0; width: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QTabBar::tab { background: $raised; color: $muted; padding: 4px 12px; border: 0; }
QTabBar::tab:selected { background: $surface; color: $ink; border-bottom: 2px solid $accent; }
QTabBar::tab:selected:focus { background: $accent_soft; border: 1px solid $accent; }
QProgressBar { background: $hair; border: 0; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QCheckBox { spacing: 8px; }
""")


def style_sheet(colours: Mapping[str, str]) -> str:
    return _STYLE_SHEET.substitute(colours)
