"""Other file formats: MJCF and URDF files read into models, and models written as MJCF."""
