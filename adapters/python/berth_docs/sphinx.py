"""The Sphinx extension: the directive `berth`, and `yaml berth` blocks of MyST's Markdown."""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .fences import ATTRIBUTES, element, refused, rewrite

LOG = logging.getLogger(__name__)


class BerthDirective(SphinxDirective):
    """A code block of YAML with the element after it. Its options are the element's attributes."""

    has_content = True
    option_spec = {name: directives.unchanged_required for name in ATTRIBUTES}

    def run(self):
        self.assert_has_content()
        for complaint in filter(None, (refused(*option) for option in self.options.items())):
            LOG.warning("%s", complaint, location=self.get_location())
        text = "\n".join(self.content)
        block = nodes.literal_block(text, text, language="yaml")
        self.set_source_info(block)
        live = nodes.raw("", element(self.options.items()), format="html")
        return [block, live]


def _read(app, name, source):
    """Rewrites a document of Markdown. reStructuredText has the directive."""
    if str(app.env.doc2path(name)).endswith((".md", ".markdown")):
        wrong = lambda line, complaint: LOG.warning("%s", complaint, location=(name, line))
        source[0], _ = rewrite(source[0], wrong)


def _add_script(app, page, template, context, doctree):
    """Adds the script to a page that has the element."""
    if app.config.berth_script and "<berth-playground" in context.get("body", ""):
        app.add_js_file(app.config.berth_script, loading_method="async")


def setup(app):
    """Sphinx' entry point."""
    app.add_config_value("berth_script", "", "html")
    app.add_directive("berth", BerthDirective)
    app.connect("source-read", _read)
    app.connect("html-page-context", _add_script)
    return {"version": "0.2.0", "parallel_read_safe": True, "parallel_write_safe": True}
