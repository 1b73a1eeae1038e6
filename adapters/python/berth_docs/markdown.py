"""The extension `berth_docs.markdown` of Python-Markdown, and so of MkDocs."""

import logging

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from .fences import rewrite, script_tag


#: MkDocs counts the warnings of loggers below its own: `--strict` fails on them.
LOG = logging.getLogger("mkdocs.plugins.berth_docs")


class BerthPreprocessor(Preprocessor):
    """Adds the element after each block, and one script to a page that has any."""

    def __init__(self, md, script):
        super().__init__(md)
        self.script = script

    def run(self, lines):
        text, found = rewrite("\n".join(lines), self.wrong)
        if found and self.script:
            text += "\n\n" + script_tag(self.script) + "\n"
        return text.split("\n")


    def wrong(self, line, complaint):
        LOG.warning("%s, line %d of its text: %s", self._page(), line, complaint)

    def _page(self):
        """The page's name, as MkDocs' own extension knows it; Python-Markdown has none."""
        file = getattr(self.md.treeprocessors["relpath"], "file", None) if "relpath" in self.md.treeprocessors else None
        return getattr(file, "src_uri", "Markdown")


class BerthExtension(Extension):
    """`script`: the address of `embed.js`. Empty: the site's own templates have the script."""

    def __init__(self, **settings):
        self.config = {"script": ["", "address of embed.js"]}
        super().__init__(**settings)

    def extendMarkdown(self, md):
        md.block_level_elements.append("berth-playground")
        # After line ends are normalized (30), before code blocks are read (25).
        md.preprocessors.register(BerthPreprocessor(md, self.getConfig("script")), "berth", 28)


def makeExtension(**settings):
    """Python-Markdown's entry point."""
    return BerthExtension(**settings)
