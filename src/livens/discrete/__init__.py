"""Discrete mechanics for any Lagrangian: variational integrators, Newmark, the incremental potential."""

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
from .incremental import IncrementalPotential, smooth_norm
from .lagrangian import Lagrangian, Mechanical
from .newmark import GeneralizedAlpha, Newmark
from .quadrature import Galerkin, Midpoint, Quadrature, Rectangle, Trapezoidal
from .run import Run
from .simulation import simulate
from .terms import Elements, springs

__all__ = [
    "Elements",
    "Galerkin",
    "GeneralizedAlpha",
    "IncrementalPotential",
    "Lagrangian",
    "Mechanical",
    "Midpoint",
    "Newmark",
    "Quadrature",
    "Rectangle",
    "Run",
    "Trapezoidal",
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "cosh",
    "cross",
    "dot",
    "exp",
    "log",
    "norm",
    "simulate",
    "sin",
    "sinh",
    "smooth_norm",
    "springs",
    "sqrt",
    "tan",
    "tanh",
]
