//! C in, C out: the exported functions of both families. The only module with `unsafe` (but for two files).
