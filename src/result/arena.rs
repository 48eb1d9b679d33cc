//! Memory that C points into: chunks that never move. `unsafe` is allowed here.
