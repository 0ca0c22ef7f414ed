"""How the site is built: `make docs`, offline. Pages are Markdown (MyST); those with `{code-cell}` are run."""

import hashlib
import sys
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path[:0] = [str(DOCS / "extensions"), str(ROOT / "src")]

import livens  # noqa: E402

project = "livens"
author = "The livens authors"
copyright = author
version = release = livens.__version__

extensions = [
    "myst_nb",  # Markdown, and notebooks in it
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # MathJax is copied into the site
    "sphinx_copybutton",
    "sphinx_design",
    "sources",  # {src}`path`: a file of the repository
    "docstrings",  # ours are prose with `names` and doctests
    "commands",  # {help}: what the command line says of itself
]
exclude_patterns = ["_build", "extensions", "thumbnails/README.md", "live/*"]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "attrs_block", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

# A notebook is run when it, or the package, has changed.
_package = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((ROOT / "src").rglob("*.py")))).hexdigest()
nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS / "_build" / "notebooks" / _package[:16])
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings.py writes them as they stand in the source
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"
default_role = "code"
smartquotes = False  # docstrings and options have quotes that are meant
nitpicky = True  # a public name that links nowhere is an error
nitpick_ignore_regex = [("py:.*", r"(?!livens\.).*"), ("py:.*", r"livens\.(?!discrete\.\w+$)([a-z_]+\.)+\w+")]

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "livens"
html_static_path = ["_static"]
html_css_files = ["livens.css"]
html_favicon = "_static/livens.svg"
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_sidebars = {page: [] for page in ("index", "benchmarks", "live", "source/**")}
html_theme_options = {
    "logo": {"text": "livens", "image_light": "_static/livens.svg", "image_dark": "_static/livens.svg"},
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}


def setup(app):
    """Sections that are not written yet are left out of the front page's list: to be removed when all are there."""

    def written(app, page, source):
        if page == "index":
            lines = source[0].splitlines()
            missing = {
                name for name in ("tutorials/index", "theory/index", "live") if not (DOCS / f"{name}.md").is_file()
            }
            source[0] = "\n".join(line for line in lines if line not in missing)

    app.connect("source-read", written)
