//! each rule
