"""The directive {help}: the output of `livens --help` and of the help of every command, one section each."""

import argparse
import os

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from livens.cli import main as cli


def commands(parser):
    """Name → parser of each subcommand."""
    [chosen] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return chosen.choices


class Help(SphinxDirective):
    """Sections with the help texts, made when the site is built."""

    def run(self):
        os.environ["COLUMNS"] = "100"  # line length of argparse
        parser = cli._parser()
        whole = [("livens", parser), *((f"livens {name}", command) for name, command in commands(parser).items())]
        return [self.section(name, each.format_help()) for name, each in whole]

    def section(self, name, text):
        section = nodes.section("", nodes.title(name, "", nodes.literal(name, name)), ids=[name.replace(" ", "-")])
        section["names"] = [nodes.fully_normalize_name(name)]
        self.state.document.note_explicit_target(section)
        section += nodes.literal_block(text, text, language="text")
        return section


def setup(app):
    app.add_directive("help", Help)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
