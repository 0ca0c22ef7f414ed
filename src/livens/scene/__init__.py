"""A model as a document, and back, without loss: as TOML files, and as JSON inside saved motions.

catalogue   the tables and their keys, from the constructors
describe    model → document            build     document → model, with the values of reading
text        document ↔ TOML             schema    valid documents, with the types of kinds
document    Scene, read_scene, write_scene; values by dotted paths; solids from files
"""

from .build import from_dict
from .describe import to_dict

__all__ = ["from_dict", "to_dict"]
