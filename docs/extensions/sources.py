"""The role {src}`src/livens/kernels/spin.py`: a file of the repository, as a page of the site.

A path that does not exist causes a warning, and with `make docs` an error. A folder has no link.
"""

from pathlib import Path

from docutils import nodes
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

ROOT = Path(__file__).parents[2]
FOLDER = "source"  # of the site
logger = logging.getLogger(__name__)


class Source(SphinxRole):
    """A path, relative to the root of the repository."""

    def run(self):
        path = self.text.strip().rstrip("/")
        literal = nodes.literal(self.rawtext, path, classes=["src"])
        if not (ROOT / path).is_file():
            if not (ROOT / path).is_dir():
                logger.warning("no file or folder %r in the repository", path, location=self.get_location())
            return [literal], []
        self.env.source_files.setdefault(self.env.docname, set()).add(path)
        here = self.env.app.builder.get_relative_uri(self.env.docname, f"{FOLDER}/{path}")
        return [nodes.reference(self.rawtext, "", literal, refuri=here, internal=True)], []


def begin(app, env, _names):
    """Pages of the site → the files that they refer to."""
    env.source_files = getattr(env, "source_files", {})


def forget(_app, env, page):
    getattr(env, "source_files", {}).pop(page, None)


def merge(_app, env, pages, other):
    env.source_files.update({page: files for page, files in other.source_files.items() if page in pages})


def pages(app):
    """One page for each file that a page refers to."""
    for path in sorted(set().union(*app.env.source_files.values())):
        text = (ROOT / path).read_text(encoding="utf-8")
        try:
            language = get_lexer_for_filename(path).aliases[0]
        except (ClassNotFound, IndexError):
            language = TextLexer.aliases[0]
        code = app.builder.highlighter.highlight_block(text, language, linenos="inline", force=True)
        head = f"<h1>{path}</h1><p>A file of the repository at the time when this site was built.</p>"
        yield f"{FOLDER}/{path}", {"title": path, "body": head + code}, "page.html"


def unlink(app, doctree):
    """Replace links of CHANGELOG and CONTRIBUTING to files that are not part of the site by text."""
    if app.env.docname in ("changelog", "contributing"):
        for node in list(doctree.findall(pending_xref)):
            if node["reftype"] == "myst" and (ROOT / node["reftarget"]).exists():
                node.replace_self(node.children)


def setup(app):
    app.add_role("src", Source())
    app.connect("env-before-read-docs", begin)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("doctree-read", unlink)
    app.connect("html-collect-pages", pages)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
