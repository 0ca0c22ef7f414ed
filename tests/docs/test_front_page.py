"""The front page of the book and the README present livens in the same order, with the numbers of the benchmarks."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def headings(path):
    return re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.M)


def test_the_sections_have_the_same_order():
    assert headings(ROOT / "docs" / "index.md") == headings(ROOT / "README.md")


def test_the_readme_has_at_most_100_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100


def rows(text, heading):
    """The rows of the first table after a heading, as lists of cells."""
    lines = text[text.index(heading) :].splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("|"))
    table = lines[first : next(k for k, line in enumerate(lines) if k > first and not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_the_speed_of_the_readme_is_that_of_the_benchmarks():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    (said,) = re.findall(r"^- \*\*Fast\*\*.*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    ratios = {"1e-04": [], "1e-06": []}
    for _, error, best, *_, beside in rows(text, "## Time to accuracy: rigid bodies"):
        assert "Runge–Kutta 8" in best
        ratios[error].append((beside.split()[0], float(re.search(r"([\d.]+)×", beside)[1])))
    fine = [ratio for word, ratio in ratios["1e-06"] if word == "ahead"]
    assert len(fine) == 12
    assert f"took 1/{max(fine):g} to 1/{min(fine):g} of the time" in said
    words = [word for word, _ in ratios["1e-04"]]
    assert (words.count("ahead"), words.count("even")) == (11, 1)
    assert "ahead in 11 problems and even in one" in said
    alone = [row[-1].split()[0] for row in rows(text, "### Variational schemes alone")]
    assert f"ahead in {alone.count('ahead')} of these {len(alone)} cases" in said
    behind = []
    for problem, _, ours, others in rows(text, "hinges about one axis instead of ball joints"):
        mine = float(re.search(r"[\d.e+]+", ours)[0])
        best = min(float(ms) for ms in re.findall(r": ~?([\d.e+]+) ms", others))
        if best < mine:
            behind.append((problem, mine / best))
    assert len({problem for problem, _ in behind}) == 3
    assert "others are slightly ahead on three short chains" in said
    assert max(ratio for _, ratio in behind) < 1.1
