//! Commands on models and states of their own: each test that needs a program with models runs
//! itself as that program.

mod adopt;
mod differences;
mod plain;
mod rekeyed;
mod shapes;
