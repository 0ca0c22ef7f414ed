"""Discrete mechanics for any Lagrangian: variational integrators, Newmark, the incremental potential."""

from ..integrators.newmark import GeneralizedAlpha, Newmark
from ..symbolic import (
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
from .affine import affine
from .composition import Composition, compose
from .lagrangian import Lagrangian, Mechanical
from .legendre import acceleration, energy, hamiltonian, momentum, velocity
from .quadrature import Galerkin, Midpoint, Quadrature, Rectangle, Trapezoidal
from .run import Run
from .simulation import simulate
from .terms import Elements, springs

__all__ = [
    "Composition",
    "Elements",
    "Galerkin",
    "GeneralizedAlpha",
    "Lagrangian",
    "Mechanical",
    "Midpoint",
    "Newmark",
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
    "springs",
    "sqrt",
    "tan",
    "tanh",
    "velocity",
]
