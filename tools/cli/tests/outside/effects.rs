//! Effects among compiled forms, and what statistics tell.
