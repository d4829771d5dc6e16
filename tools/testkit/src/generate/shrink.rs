//! Smaller programs.
