"""What users already have: robots and machines as MJCF and URDF files, read into models, and models written as MJCF."""
