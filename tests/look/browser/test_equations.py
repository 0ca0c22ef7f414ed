"""Displayed equations of the documentation on a phone: their beginning is visible, and their end can be reached."""

from pathlib import Path

import pytest

STATIC = Path(__file__).parents[3] / "docs" / "_static"
CONFIGURATION = f"""
extensions = ["myst_parser", "sphinx.ext.mathjax", "sphinx-mathjax-offline"]
myst_enable_extensions = ["dollarmath", "amsmath"]
html_theme = "pydata_sphinx_theme"
html_static_path = [{str(STATIC)!r}]
html_css_files = ["livens.css"]
"""
TEXT = r"""# Equations

$$ \int_{t_0}^{t_1} \Big(\frac{\partial L}{\partial v} - p\Big)\cdot\delta v\,dt = 0 \quad\Longrightarrow\quad p =
\frac{\partial L}{\partial v}(q, v) . \tag{4} $$

$$ \int_{t_0}^{t_1} \big(-\dot L + L\times\omega + \tau\big)\cdot\delta\theta\,dt = 0 . $$

$$ a = b \tag{1} $$
"""
REACH = """[...document.querySelectorAll('div.math')].map(box => {
  const edge = box.getBoundingClientRect(), math = box.querySelector('mjx-math')
  const left = math.getBoundingClientRect().left - edge.left, fits = box.scrollWidth <= box.clientWidth
  const touch = fits || ['auto', 'scroll'].includes(getComputedStyle(box).overflowX)
  box.scrollLeft = 1e4
  return [left, edge.right - math.getBoundingClientRect().right, touch]
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    build = pytest.importorskip("sphinx.cmd.build", reason="the documentation needs sphinx")
    pytest.importorskip("pydata_sphinx_theme", reason="the documentation needs its theme")
    folder = tmp_path_factory.mktemp("equations")
    (folder / "conf.py").write_text(CONFIGURATION)
    (folder / "index.md").write_text(TEXT)
    assert build.main(["-q", str(folder), str(folder / "out")]) == 0
    return folder / "out" / "index.html"


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_no_part_of_an_equation_is_cut_off(browser, site, size):
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(site.as_uri())
    page.wait_for_selector("mjx-math")
    page.evaluate("MathJax.startup.promise")
    page.evaluate("document.fonts.ready")
    for left, right, touch in page.evaluate(REACH):
        assert left >= -1.0  # at rest
        assert right >= -1.0  # at the end
        assert touch  # a finger can move it
    page.close()
