//! Collations and character lengths, and escaping.
