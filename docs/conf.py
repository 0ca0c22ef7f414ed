"""Configuration of the site: `make docs`, offline. Pages are Markdown (MyST); pages with `{code-cell}` are executed."""

import hashlib
import os
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
    "myst_nb",  # Markdown and notebooks
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # MathJax is copied into the site
    "sphinx_copybutton",
    "sphinx_design",
    "sources",  # {src}`path`: a file of the repository
    "docstrings",  # docstrings of the package: prose with `names` and doctests
    "demos",  # {demos}: the gallery, and a page for each demo
    "commands",  # {help}: help texts of the command line
]
exclude_patterns = ["_build", "extensions", "thumbnails/README.md", "live/**"]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "attrs_block", "attrs_inline"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

# A notebook is executed if it or the package has changed. Output to stderr (progress, compilation of kernels) is not
# shown; a cell that shows a warning sets `mystnb: {output_stderr: show}`.
_package = hashlib.sha256(b"".join(path.read_bytes() for path in sorted((ROOT / "src").rglob("*.py")))).hexdigest()
nb_execution_mode = "cache"
nb_execution_cache_path = str(DOCS / "_build" / "notebooks" / _package[:16])
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_output_stderr = "remove"
# Cells do not use the IPython profile of the user.
_profile = DOCS / "_build" / "ipython" / "profile_default"
_profile.mkdir(parents=True, exist_ok=True)
(_profile / "ipython_kernel_config.py").write_text("get_config().Application.log_level = 40\n")
os.environ["IPYTHONDIR"] = str(_profile.parent)

demo_cache = str(DOCS / "_build" / "demos" / _package[:16])
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings.py writes them as in the source
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"
default_role = "code"
smartquotes = False  # quotes in docstrings and options are literal
nitpicky = True  # an unresolved public name is an error
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
    "header_links_before_dropdown": 5,
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
