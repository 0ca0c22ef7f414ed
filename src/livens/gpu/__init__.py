"""Members of an ensemble on a graphics card: one thread per member, the same kernels, the same bits."""
