"""Rewrites fenced code blocks in the text of Markdown. `src/cli/mdbook/fences.rs` does the same; `adapters/fences.json`
holds both to it."""

import html
import re

#: The attributes of `<berth-playground>` that a block may have (adapters/attributes.json).
ATTRIBUTES = ("view", "step", "height", "theme", "lang", "kubernetes", "load")

#: What may stand before a fence: indentation, quotation marks and list markers.
_OPEN = re.compile(r"((?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*)(`{3,}|~{3,})(.*)")
_WORD = re.compile(r"""[^\s=]+=(?:"[^"]*"|'[^']*')(?=\s|$)|\S+""")
#: Lines whose indented continuation is text, not a code block: list items, admonitions, tabs, definitions, footnotes.
_CONTAINER = re.compile(r"[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|!!!|\?\?\?|===|:[ \t]|\[\^)")


def read_info(info):
    """The info string without Berth's words, and the attributes; None if the block is not Berth's."""
    words = list(_WORD.finditer(info))
    if not words or not re.match(r"ya?ml\b", words[0].group()):
        return None
    if all(word.group() != "berth" for word in words[1:]):
        return None
    attributes, rest = [], words[0].group()
    for word in words[1:]:
        name, _, value = word.group().partition("=")
        if name in ATTRIBUTES and value:
            attributes.append((name, value[1:-1] if value[0] in "\"'" else value))
        elif word.group() != "berth":
            rest += " " + word.group()
    return rest, attributes


def open_tag(attributes):
    """The element's opening tag."""
    return "<berth-playground" + "".join(f' {name}="{html.escape(value)}"' for name, value in attributes) + ">"


def element(attributes):
    """The element."""
    return open_tag(attributes) + "</berth-playground>"


def script_tag(address):
    """The script that defines the element."""
    return f'<script src="{html.escape(address)}" async></script>'


def rewrite(text):
    """The text with the element after each block that is Berth's, and the number of these blocks."""
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
            rest, attributes = berth
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
