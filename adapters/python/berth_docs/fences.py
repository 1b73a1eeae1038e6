"""Rewrites fenced code blocks in the text of Markdown. `src/cli/fences.rs` does the same; `adapters/fences.json` holds
both to it."""

import html
import re

#: The attributes of a block, with what they may be: one of several words, a number, or any text (adapters/attributes.json).
VALUES = {
    "view": ("stage", "explain", "matrix", "terminal"),
    "step": int,
    "height": int,
    "theme": ("light", "dark"),
    "lang": str,
    "kubernetes": str,
    "load": ("visible", "click", "eager"),
    "cluster": str,
    "expect": str,
}
ATTRIBUTES = tuple(VALUES)

#: What may stand before a fence: indentation, quotation marks and list markers.
_OPEN = re.compile(r"((?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*)(`{3,}|~{3,})(.*)")
_WORD = re.compile(r"""[^\s=]+=(?:"[^"]*"|'[^']*')(?=\s|$)|\S+""")
#: Lines whose indented continuation is text, not a code block: list items, admonitions, tabs, definitions, footnotes.
_CONTAINER = re.compile(r"[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|!!!|\?\?\?|===|:[ \t]|\[\^)")


def read_info(info):
    """The info string without Berth's words, the attributes, and what is wrong with them; None if the block is not
    Berth's."""
    words = [word.group() for word in _WORD.finditer(info)]
    if not words or not re.match(r"ya?ml\b", words[0]) or "berth" not in words[1:]:
        return None
    attributes, others = [], []
    for word in words[1:]:
        name, _, value = word.partition("=")
        if name in VALUES and value:
            attributes.append((name, value[1:-1] if value[0] in "\"'" else value))
        elif word != "berth":
            others.append(word)
    complaints = [refused(*attribute) for attribute in attributes] + [_misspelt(word) for word in others]
    return " ".join([words[0], *others]), attributes, [complaint for complaint in complaints if complaint]


def refused(name, value):
    """What is wrong with the value of an attribute; None if nothing is."""
    values = VALUES[name]
    if values is int:
        return None if re.fullmatch("[0-9]+", value) else f"{name}={value} is no number"
    if values is str or value in values:
        return None
    meant = _closest(value, values)
    return f"{name}={value} is none of {', '.join(values)}" + (f" (did you mean {meant}?)" if meant else "")


def _misspelt(word):
    """What is wrong with a word that is no attribute. It may be the tool's, so only a near miss is wrong."""
    name = word.partition("=")[0]
    if name in VALUES:
        return f"{name} needs a value: {name}=…"
    meant = _closest(name, VALUES)
    return f"{name} is no attribute of a block (did you mean {meant}?)" if meant else None


def _closest(name, candidates):
    """The candidate within a third of the name's letters, as crates/base/src/suggest.rs finds it."""
    near = [(_distance(name.lower(), candidate), at, candidate) for at, candidate in enumerate(candidates)]
    away, _, meant = min(near)
    return meant if away <= max(len(name) // 3, 1) else None


def _distance(a, b):
    """Optimal string alignment distance."""
    rows = [list(range(len(b) + 1))]
    for row in range(1, len(a) + 1):
        rows.append([row])
        for column in range(1, len(b) + 1):
            ways = [rows[-2][column] + 1, rows[-1][column - 1] + 1, rows[-2][column - 1] + (a[row - 1] != b[column - 1])]
            if row > 1 and column > 1 and a[row - 1] == b[column - 2] and a[row - 2] == b[column - 1]:
                ways.append(rows[-3][column - 2] + 1)
            rows[-1].append(min(ways))
    return rows[-1][-1]


def open_tag(attributes):
    """The element's opening tag."""
    return "<berth-playground" + "".join(f' {name}="{html.escape(value)}"' for name, value in attributes) + ">"


def element(attributes):
    """The element."""
    return open_tag(attributes) + "</berth-playground>"


def script_tag(address):
    """The script that defines the element."""
    return f'<script src="{html.escape(address)}" async></script>'


def rewrite(text, wrong=lambda line, complaint: None):
    """The text with the element after each block that is Berth's, and the number of these blocks. `wrong` is called with
    the line of a block, from 1, and what is wrong with its attributes."""
    lines = text.split("\n")
    written, found, at = [], 0, 0
    while at < len(lines):
        opening = _opening(lines, at)
        if not opening:
            written.append(lines[at])
            at += 1
            continue
        prefix, fence, info = opening
        end = _closing(lines, at, prefix, fence)
        block = lines[at : end + 1]
        berth = read_info(info) if end < len(lines) else None
        if berth:
            rest, attributes, complaints = berth
            for complaint in complaints:
                wrong(at + 1, complaint)
            # Where a list item begins with the fence, what follows is indented as its text.
            inside = re.sub(r"[^\s>]", " ", prefix)
            ending = "\r" if info.endswith("\r") else ""
            block[0] = prefix + fence + rest + ending
            # A line with an opening tag alone begins a block of HTML, which ends at a blank line.
            added = ["", open_tag(attributes), "</berth-playground>", ""]
            block += [(inside + line).rstrip() + ending for line in added]
            found += 1
        written += block
        at = end + 1
    return "\n".join(written), found


def _opening(lines, at):
    """Prefix, fence and info string, if a block begins at this line."""
    match = _OPEN.fullmatch(lines[at])
    if not match:
        return None
    prefix, fence, info = match.groups()
    if fence[0] == "`" and "`" in info:
        return None
    return match.groups() if _is_text(lines, at, prefix) else None


def _is_text(lines, at, prefix):
    """Whether a fence with this prefix is not the content of an indented code block."""
    width = _indentation(prefix)
    if width < 4:
        return True
    for line in reversed(lines[:at]):
        if line.strip() and _indentation(line) < width:
            return width - _indentation(line) < 4 or bool(_CONTAINER.match(line))
    return False


def _indentation(line):
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _closing(lines, at, prefix, fence):
    """The line that closes the block; the number of lines if none does."""
    closing = re.compile(r"[ \t>]*" + re.escape(fence[0]) + "{" + str(len(fence)) + r",}[ \t\r]*")
    width = _indentation(re.sub(r"[^\s>]", " ", prefix) + fence)
    for number in range(at + 1, len(lines)):
        # A fence that is indented more belongs to the block's text.
        if closing.fullmatch(lines[number]) and _indentation(lines[number]) < width + 4:
            return number
    return len(lines)
