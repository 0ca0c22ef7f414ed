"""The step that conserves energy: discrete gradients of measures, and Newton's matrix (step/energy_momentum.py)."""
