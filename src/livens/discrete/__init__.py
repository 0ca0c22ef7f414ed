"""Discrete mechanics for any Lagrangian: variational integrators, Newmark, the incremental potential."""

from ..formula.functions import (
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    cross,
    dot,
    exp,
    log,
    norm,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from ..step.generalized_alpha import GeneralizedAlpha
from ..step.newmark import Newmark
from .affine import affine
from .barrier import Barrier
from .compare import Problem, compare
from .comparison import Comparison
from .composition import Composition, compose
from .gradient import DiscreteGradient
from .incremental import IncrementalPotential, smooth_norm
from .lagrangian import Lagrangian, Mechanical
from .legendre import acceleration, energy, hamiltonian, momentum, velocity
from .quadrature import Galerkin, Midpoint, Quadrature, Rectangle, Trapezoidal
from .run import Run
from .simulation import simulate
from .symplectic import symplectic_defect
from .terms import Elements, springs

__all__ = [
    "Barrier",
    "Comparison",
    "Composition",
    "DiscreteGradient",
    "Elements",
    "Galerkin",
    "GeneralizedAlpha",
    "IncrementalPotential",
    "Lagrangian",
    "Mechanical",
    "Midpoint",
    "Newmark",
    "Problem",
    "Quadrature",
    "Rectangle",
    "Run",
    "Trapezoidal",
    "acceleration",
    "acos",
    "affine",
    "asin",
    "atan",
    "atan2",
    "compare",
    "compose",
    "cos",
    "cosh",
    "cross",
    "dot",
    "energy",
    "exp",
    "hamiltonian",
    "log",
    "momentum",
    "norm",
    "simulate",
    "sin",
    "sinh",
    "smooth_norm",
    "springs",
    "sqrt",
    "symplectic_defect",
    "tan",
    "tanh",
    "velocity",
]
