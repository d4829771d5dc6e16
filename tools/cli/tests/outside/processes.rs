//! The cache, processes, and failures of the environment.
