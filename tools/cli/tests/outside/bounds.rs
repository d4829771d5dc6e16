//! Memory, recursion and time that end where they should.
