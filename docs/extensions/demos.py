"""The directive {demos}: a gallery of the demonstrations, with links to pages that play their recorded motions.

The pages are made after the site has been built, once for each state of the package. `-D demo_pages=` makes none.
"""

import shutil
import warnings
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from livens.demos import DEMOS

FOLDER = "demos"  # of the site
logger = logging.getLogger(__name__)


class Gallery(SphinxDirective):
    """Thumbnails (`make thumbnails`) with name and line of every demonstration."""

    def run(self):
        gallery = nodes.container(classes=["gallery"])
        for name, demo in DEMOS.items():
            card = nodes.reference("", "", refuri=f"{FOLDER}/{name}.html", classes=["card"], internal=True)
            card += nodes.image(uri=f"thumbnails/{name}.png", alt=demo.line)
            card += nodes.strong("", name)
            card += nodes.inline("", demo.line)
            gallery += nodes.paragraph("", "", card)
        return [gallery]


def write_pages(app, failed):
    """A page for each of `demo_pages`, cached until the package changes."""
    if failed or app.builder.format != "html":
        return
    kept = Path(app.config.demo_cache)
    kept.mkdir(parents=True, exist_ok=True)
    (app.outdir / FOLDER).mkdir(exist_ok=True)
    for name in filter(None, app.config.demo_pages):
        page = kept / f"{name}.html"
        if not page.exists():
            logger.info("simulating the demonstration %s", name)
            with warnings.catch_warnings(action="ignore"):  # warnings about redundant constraints
                DEMOS[name].run().to_html(page)
        shutil.copy(page, app.outdir / FOLDER / page.name)


def setup(app):
    app.add_directive("demos", Gallery)
    app.add_config_value("demo_pages", list(DEMOS), "")
    app.add_config_value("demo_cache", str(Path(app.outdir).parent / "demos"), "")
    app.connect("build-finished", write_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
