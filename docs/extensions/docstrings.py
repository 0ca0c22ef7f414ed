"""Docstrings for the reference. They are prose with `names` in backticks, units in brackets, an indented formula, and a
doctest at the end. This extension turns public names into links and sets arguments at the beginning of a sentence
("shape: a primitive …") as code."""

import inspect
import re

from sphinx.util.inspect import stringify_signature

import livens
import livens.discrete

PUBLIC = {**{f"lv.{name}": f"livens.{name}" for name in dir(livens)}, "livens.discrete": "livens.discrete"}
PUBLIC |= {f"ld.{name}": f"livens.discrete.{name}" for name in livens.discrete.__all__}
MADE = (livens.Trajectory, livens.discrete.Run, livens.discrete.Comparison)


def linked(line):
    """`lv.Body` as a link; other `code` and the stars and bars of formulas unchanged."""

    def code(match):
        name = match[1]
        return f":py:obj:`{name} <{PUBLIC[name]}>`" if name in PUBLIC else f"``{name}``"

    pieces = re.split(r"(`[^`]+`)", line)
    return "".join(
        re.sub("`([^`]+)`", code, p) if p[:1] == "`" else re.sub(r"([|]|[*]{2}|_\b)", r"\\\1", p) for p in pieces
    )


def arguments(thing):
    """Names of the arguments."""
    try:
        return set(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return set()


def shown(app, what, name, thing, options, lines):
    """Rewrite `lines` in place, for reStructuredText."""
    names = arguments(thing)
    word = re.compile(r"(^|[.;] |, )((?:%s)(?:, (?:%s))*): " % (("|".join(map(re.escape, names)) or "$^",) * 2))
    example = formula = False
    result = []
    for line in lines:
        example = (example and bool(line)) or line.startswith(">>>")
        indented = line.startswith("    ") and not example
        if indented and not formula:
            result += ["::", ""]
        formula = indented or (formula and not line)
        result.append(line if example or indented else linked(word.sub(r"\1`\2`: ", line)))
    lines[:] = result


def signed(app, what, name, thing, options, signature, returns):
    """Arguments with their types as in the source; none for classes that only the package creates."""
    if thing in MADE:
        return "", None
    try:
        form = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    result = form.return_annotation
    if what == "method" and next(iter(form.parameters), "") == "self":
        form = form.replace(parameters=list(form.parameters.values())[1:])
    return stringify_signature(form, show_return_annotation=False), None if what == "class" else returned(result)


def returned(annotation):
    return None if annotation in (inspect.Signature.empty, "None", None) else str(annotation).strip("'")


def setup(app):
    app.connect("autodoc-process-signature", signed)
    app.connect("autodoc-process-docstring", shown)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
