//! What was counted when, and with what.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::valgrind::Valgrind;

/// What decides how many instructions the same source is.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    rustc: String,
    libc: String,
    valgrind: String,
    /// What `memcpy`, `memchr` and their like choose by, of what Valgrind shows programs.
    processor: String,
}

impl Machine {
    pub fn here(valgrind: &Valgrind) -> Result<Self, String> {
        let first_line = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).output();
            let output = output.map_err(|error| format!("{program} could not be run: {error}"))?;
            let said = String::from_utf8_lossy(&output.stdout)
                .lines()
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            if said.is_empty() {
                Err(format!("{program} {argument} says nothing"))
            } else {
                Ok(said)
            }
        };
        let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let has = |flag: &str| flags.split_whitespace().any(|known| known == flag);
        let processor = ["avx2", "bmi2", "avx", "sse4_2"]
            .into_iter()
            .find(|flag| has(flag))
            .unwrap_or("sse2");
        Ok(Self {
            rustc: first_line("rustc", "-V")?,
            libc: first_line("ldd", "--version")?,
            valgrind: valgrind.version()?,
            processor: format!("x86-64 with {processor}"),
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {}, {}, {}",
            self.rustc, self.libc, self.valgrind, self.processor
        )
    }
}

/// Instructions an operation, by name.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    pub machine: Machine,
    pub counts: BTreeMap<String, f64>,
}

impl Record {
    pub fn read(place: &Path) -> Result<Self, String> {
        let bytes = fs::read(place).map_err(|error| format!("{}: {error}", place.display()))?;
        serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", place.display()))
    }

    pub fn write(&self, place: &Path) -> Result<(), String> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        text.push('\n');
        fs::write(place, text).map_err(|error| format!("{}: {error}", place.display()))
    }
}
