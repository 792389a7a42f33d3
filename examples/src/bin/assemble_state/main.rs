//! Writes `state/terraform.tfstate` of this package: a state file as a company might have it, put together from the stored
//! states in `tests/real_upgrades/`, each at the schema version it was really stored with.
//!
//! `cargo run -p upstate-examples --bin assemble_state` rewrites it; with `-` it prints to standard output instead.

mod cases;
mod file;
mod plan;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use cases::Cases;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = Cases::read(&package.join("../tests/real_upgrades/real_upgrades.json"))?;
    let text = file::write(&plan::state(&cases)?)?;
    if env::args().nth(1).as_deref() == Some("-") {
        print!("{text}");
    } else {
        fs::write(package.join("state/terraform.tfstate"), text)?;
    }
    Ok(())
}
