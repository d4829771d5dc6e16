//! One file for each family of operations, named as in every road.

mod branch;
mod call;
mod each;
mod gather;
pub(crate) mod grow;
pub(crate) mod heap;
mod index;
mod last;
pub(crate) mod meet;
pub(crate) mod merge;
mod pack;
mod place;
mod reduce;
mod result;
mod scan;
mod scatter;
pub(crate) mod segment;
mod sort;
