//! The archive of one program, and its digests.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Cursor, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::program::Program;

/// A program in a zip file. The same program makes the same bytes at any time.
pub(super) struct Archive {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// The digest `h1` of Terraform's lock file: a digest of what is in the archive, however it is
    /// packed.
    pub(super) h1: String,
}

impl Archive {
    /// Packs a program under a name, and the one beside it under its own.
    pub(super) fn pack(
        name: String,
        inside: &str,
        program: &Program,
        beside: Option<&(String, Program)>,
    ) -> io::Result<Self> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o755);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let mut programs = BTreeMap::from([(inside, program)]);
        programs.extend(beside.map(|(name, program)| (name.as_str(), program)));
        let mut listed = String::new();
        for (name, program) in programs {
            zip.start_file(name, options)?;
            zip.write_all(&program.bytes)?;
            // Cannot fail, since a string takes everything.
            let _ = writeln!(listed, "{}  {name}", sha256(&program.bytes));
        }
        let bytes = zip.finish()?.into_inner();
        Ok(Self {
            name,
            bytes,
            h1: format!("h1:{}", STANDARD.encode(Sha256::digest(listed))),
        })
    }

    /// The digest `zh` of Terraform's lock file: the digest of the archive itself.
    pub(super) fn zh(&self) -> String {
        format!("zh:{}", sha256(&self.bytes))
    }
}

/// A digest in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(bytes) {
        // Cannot fail, since a string takes everything.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}
