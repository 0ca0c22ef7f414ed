"""The site, built without running its notebooks: links, resources and completeness."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import livens
import livens.discrete
from livens.demos import DEMOS

for package in ("sphinx", "myst_nb", "pydata_sphinx_theme", "sphinx_design", "sphinx_copybutton"):
    pytest.importorskip(package, reason="the site needs the extra docs")

ROOT = Path(__file__).parents[2]
MADE_LATER = re.compile(r"(demos|live|lite)/")  # pages that are made after Sphinx has built the site


class Page(HTMLParser):
    """The links of a page, the files that a browser loads for it (`loads`), and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and set(given.get("rel", "").split()) & {"stylesheet", "icon", "preload", "modulepreload"}:
            self.loads.append(given["href"])
        if tag in ("script", "img", "iframe", "source", "video", "embed") and given.get("src"):
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    command = [
        *(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(folder / "doctrees")),
        *("-D", "nb_execution_mode=off", "-D", "suppress_warnings=myst-nb.lexer,mystnb.glue,myst-nb.glue"),  # not run
        *("-D", "demo_pages=", str(ROOT / "docs"), str(folder / "html")),
    ]
    built = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stderr[-5000:]
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site):
    """Every page by its path."""
    return {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}


def test_links_have_targets(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            to = urlsplit(link)
            if to.scheme in ("http", "https", "mailto"):
                continue
            target = (path.parent / unquote(to.path)).resolve() if to.path else path.resolve()
            if MADE_LATER.match(str(target.relative_to(site.resolve()))):
                continue
            there = pages.get(target)
            anchor = unquote(to.fragment)
            if not target.exists() or (anchor and there is not None and anchor not in there.anchors):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken, "\n".join(broken[:40])


def test_pages_load_nothing_from_the_network(site, pages):
    """Scripts, styles, images, fonts and MathJax are files of the site."""
    outside = {load for page in pages.values() for load in page.loads if urlsplit(load).scheme not in ("", "data")}
    outside |= {load for page in pages.values() for load in page.loads if load.startswith("//")}
    for style in site.rglob("*.css"):
        found = re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)|@import\s+['\"](https?:[^'\"]+)", style.read_text())
        outside |= {f"{style.name}: {address}" for pair in found for address in pair if address}
    assert not outside
    missing = {
        load
        for path, page in pages.items()
        for load in page.loads
        if not load.startswith("data:")
        and not MADE_LATER.match(load)
        and not (path.parent / unquote(urlsplit(load).path)).resolve().is_file()
    }
    assert not missing
    typeset = [path for path in pages if re.search(r'class="math', path.read_text(encoding="utf-8"))]
    assert all(any("mathjax/" in load for load in pages[path].loads) for path in typeset)


def test_every_public_name_is_in_the_reference(site):
    inventory = pytest.importorskip("sphinx.util.inventory").InventoryFile
    known = inventory.loads((site / "objects.inv").read_bytes(), uri="")
    names = {name for kind, entries in known.data.items() if kind.startswith("py:") for name in entries}
    public = {f"livens.{name}" for name in dir(livens) if not name.startswith("_")}
    public |= {f"livens.discrete.{name}" for name in livens.discrete.__all__}
    assert len(public) > 130
    assert not public - names


def test_every_command_is_in_the_reference(site):
    text = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    for command in ("new", "check", "run", "resume", "sweep", "view", "live", "report", "info", "demo", "schema"):
        assert f'id="livens-{command}"' in text
        assert f"usage: livens {command}" in text


def test_every_demonstration_is_in_the_gallery(pages, site):
    assert {f"demos/{name}.html" for name in DEMOS} <= set(pages[(site / "index.html")].links)


def test_files_of_the_repository_are_shown(site):
    named = set(re.findall(r"\{src\}`([^`]+)`", "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))))
    files = {path for path in named if (ROOT / path).is_file()}
    assert files
    assert all((site / "source" / f"{path}.html").is_file() for path in files)


def test_links_of_the_readme():
    for document in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
        missing = [link for link in links if not (ROOT / link.partition("#")[0]).exists()]
        assert links
        assert not missing, document


def test_building_the_site_says_what_it_does():
    """A sentence first, and Sphinx names every page and notebook; it took minutes without a word."""
    recipe = re.search(r"^docs:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1]
    first, sphinx, *_ = recipe.splitlines()
    assert first.startswith("\t@echo ")
    assert "-m sphinx" in sphinx
    assert not re.search(r" -[qQ]\b| --quiet", recipe)
    assert " -W " in sphinx
