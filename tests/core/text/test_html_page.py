"""What a page is made of: markup of ours as it is, everything else harmless."""

from markupsafe import Markup

from core.text.html_page import MAX_CHARS, dim, joined, macros, markup


def test_that_words_are_escaped_and_markup_is_not() -> None:
    assert markup("<b>{}</b>", "<i>") == "<b>&lt;i&gt;</b>"
    assert markup("{}{}", dim("a & b"), 7) == '<span class="dim">a &amp; b</span>7'
    assert joined(("<", Markup("<br>")), ", ") == "&lt;, <br>"


def test_that_controls_of_a_terminal_reach_no_page_and_endless_text_is_cut() -> None:
    assert "\x1b" not in markup("{}", "\x1b[31m")
    assert len(markup("{}", "a" * (MAX_CHARS + 1))) == MAX_CHARS
    drawn = macros("text/html_parts.html").table(("<head>",), [("\x1b", dim("<"))])
    assert "\x1b" not in drawn and "<th>&lt;head&gt;" in drawn
    assert '<span class="dim">&lt;</span>' in drawn
