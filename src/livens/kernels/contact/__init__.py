"""Contact: the geometry of shapes that touch, and the solution of contact problems with Coulomb friction."""
