"""The extension `berth_docs.markdown` of Python-Markdown, and so of MkDocs."""

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from .fences import rewrite, script_tag


class BerthPreprocessor(Preprocessor):
    """Adds the element after each block, and one script to a page that has any."""

    def __init__(self, md, script):
        super().__init__(md)
        self.script = script

    def run(self, lines):
        text, found = rewrite("\n".join(lines))
        if found and self.script:
            text += "\n\n" + script_tag(self.script) + "\n"
        return text.split("\n")


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
