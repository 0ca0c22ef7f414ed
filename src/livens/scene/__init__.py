"""A model as a document, and back, without losing a bit: in TOML for people, in JSON inside saved motions.

catalogue   what there is, read off the constructors
describe    model → document            build     document → model, with the values of reading
text        document ↔ TOML             schema    what is valid, with the types of kinds
document    Scene, read_scene, write_scene; values by dotted paths; solids from files
"""

from .build import from_dict
from .describe import to_dict

__all__ = ["from_dict", "to_dict"]
