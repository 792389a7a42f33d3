//! The system of a program, by its header.

use std::fs;
use std::path::Path;

use object::elf::{ELFOSABI_FREEBSD, ELFOSABI_GNU, ELFOSABI_SYSV, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Architecture, BinaryFormat, Endianness, FileFlags, FileKind, Object, ObjectKind};

/// A program for one system.
pub(super) struct Program {
    pub(super) bytes: Vec<u8>,
    os: &'static str,
    architecture: &'static str,
    needs: Needs,
    has_debug_information: bool,
}

/// The requirements of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Needs {
    /// Nothing but the system itself.
    System,
    /// The GNU C library, of this version at least.
    Glibc(Vec<u32>),
    /// Something that loads it.
    Loader(String),
}

impl Program {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let bytes = fs::read(path).map_err(|error| format!("{shown} can't be read: {error}"))?;
        let kind = FileKind::parse(&*bytes).map_err(|_| format!("{shown} is not a program"))?;
        if matches!(kind, FileKind::MachOFat32 | FileKind::MachOFat64) {
            return Err(format!(
                "{shown} holds programs for several processors. Name one program for each."
            ));
        }
        let file = object::File::parse(&*bytes)
            .map_err(|error| format!("{shown} is not a program: {error}"))?;
        // A program that may be loaded anywhere is marked as a library is.
        if !matches!(file.kind(), ObjectKind::Executable | ObjectKind::Dynamic) {
            return Err(format!("{shown} is not a program"));
        }
        let unknown =
            |what: &str| format!("{shown} is for {what}, which Terraform has no name for");
        let os = match (file.format(), file.flags()) {
            (
                BinaryFormat::Elf,
                FileFlags::Elf {
                    os_abi: ELFOSABI_SYSV | ELFOSABI_GNU,
                    ..
                },
            ) => "linux",
            (
                BinaryFormat::Elf,
                FileFlags::Elf {
                    os_abi: ELFOSABI_FREEBSD,
                    ..
                },
            ) => "freebsd",
            (BinaryFormat::MachO, _) => "darwin",
            (BinaryFormat::Pe, _) => "windows",
            (format, _) => return Err(unknown(&format!("an unknown system ({format:?})"))),
        };
        let architecture = match (file.architecture(), file.is_little_endian()) {
            (Architecture::X86_64, _) => "amd64",
            (Architecture::I386, _) => "386",
            (Architecture::Aarch64, true) => "arm64",
            (Architecture::Arm, true) => "arm",
            (Architecture::PowerPc64, true) => "ppc64le",
            (Architecture::PowerPc64, false) => "ppc64",
            (Architecture::Riscv64, _) => "riscv64",
            (Architecture::S390x, _) => "s390x",
            (Architecture::LoongArch64, _) => "loong64",
            (other, _) => return Err(unknown(&format!("the processor {other:?}"))),
        };
        let needs = match kind {
            FileKind::Elf32 => needs::<FileHeader32<Endianness>>(&bytes),
            FileKind::Elf64 => needs::<FileHeader64<Endianness>>(&bytes),
            _ => Ok(Needs::System),
        };
        let needs = needs.map_err(|error| format!("{shown} is not a program: {error}"))?;
        let has_debug_information = file.has_debug_symbols();
        Ok(Self {
            bytes,
            os,
            architecture,
            needs,
            has_debug_information,
        })
    }

    /// The system, as Terraform calls it: `linux_amd64`.
    pub(super) fn platform(&self) -> String {
        format!("{}_{}", self.os, self.architecture)
    }

    /// A sentence about parts that users download and do not need, if there are any.
    pub(super) fn ballast(&self) -> Option<String> {
        let megabytes = self.bytes.len() / 1_000_000;
        self.has_debug_information.then(|| {
            format!(
                "It has debug information, as debug builds do ({megabytes} MB): build it with `cargo build --release`, and with \
                 `strip = true` in `[profile.release]`"
            )
        })
    }

    /// The ending of programs' names there.
    pub(super) fn suffix(&self) -> &'static str {
        if self.os == "windows" { ".exe" } else { "" }
    }

    /// The requirement for it to run, as a clause.
    pub(super) fn needs(&self) -> String {
        match &self.needs {
            Needs::System if self.os == "linux" => "runs on every Linux".to_owned(),
            Needs::System => "needs what the system has".to_owned(),
            Needs::Glibc(version) => {
                let version: Vec<String> = version.iter().map(u32::to_string).collect();
                format!(
                    "needs glibc {} or later. A program built for a musl target runs on every Linux",
                    version.join(".")
                )
            }
            Needs::Loader(loader) => format!("needs {loader}"),
        }
    }
}

fn needs<Elf: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> object::Result<Needs> {
    let header = Elf::parse(bytes)?;
    let endian = header.endian()?;
    let mut loader = None;
    for segment in header.program_headers(endian, bytes)? {
        loader = loader.or(segment.interpreter(endian, bytes)?);
    }
    let Some(loader) = loader else {
        return Ok(Needs::System);
    };
    let mut newest = Vec::new();
    let sections = header.sections(endian, bytes)?;
    if let Some((libraries, names)) = sections.gnu_verneed(endian, bytes)? {
        let names = sections.strings(endian, bytes, names)?;
        for library in libraries {
            for version in library?.1 {
                let name = version?.name(endian, names)?;
                newest = newest.max(glibc(name).unwrap_or_default());
            }
        }
    }
    Ok(if newest.is_empty() {
        Needs::Loader(String::from_utf8_lossy(loader).into_owned())
    } else {
        Needs::Glibc(newest)
    })
}

/// The numbers of `GLIBC_2.34`.
fn glibc(version: &[u8]) -> Option<Vec<u32>> {
    let numbers = std::str::from_utf8(version).ok()?.strip_prefix("GLIBC_")?;
    numbers
        .split('.')
        .map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The header of an ELF program, without a loader, for a processor.
    pub(in crate::package) fn elf(class: u8, processor: u16) -> Vec<u8> {
        let mut header = vec![0; 64];
        header[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, 1, 1]);
        header[16] = 2;
        header[18..20].copy_from_slice(&processor.to_le_bytes());
        header[20] = 1;
        header[if class == 1 { 40 } else { 52 }] = if class == 1 { 52 } else { 64 };
        header
    }

    /// A program with a section `.debug_info`: a test's own has none where the profile leaves it
    /// out.
    fn with_debug_information() -> Vec<u8> {
        const NAMES: &[u8; 20] = b"\0.debug_info\0.names\0";
        // Sections: the empty one that each program begins with, and those whose names are at 1 and
        // at 13.
        let sections = [(0_u32, 0_u32, 0_u64), (1, 1, 0), (13, 3, 20)];
        let mut bytes = elf(2, 62);
        bytes[40] = 96;
        bytes[58] = 64;
        bytes[60] = 3;
        bytes[62] = 2;
        bytes.extend(NAMES);
        bytes.resize(96, 0);
        for (name, kind, size) in sections {
            let mut section = [0; 64];
            section[..4].copy_from_slice(&name.to_le_bytes());
            section[4..8].copy_from_slice(&kind.to_le_bytes());
            section[24] = 64;
            section[32..40].copy_from_slice(&size.to_le_bytes());
            bytes.extend(section);
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Program, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it");
        fs::write(&path, bytes).unwrap();
        Program::read(&path)
            .map_err(|error| error.replace(&folder.path().display().to_string(), ""))
    }

    #[test]
    fn the_header_names_the_system() {
        for (class, processor, platform) in [
            (2, 62, "linux_amd64"),
            (2, 183, "linux_arm64"),
            (1, 3, "linux_386"),
            (1, 40, "linux_arm"),
        ] {
            let program = read(&elf(class, processor)).unwrap();
            assert_eq!(
                (program.platform(), program.suffix()),
                (platform.to_owned(), "")
            );
            assert_eq!(program.needs(), "runs on every Linux");
            assert_eq!(program.ballast(), None);
        }
    }

    #[test]
    fn this_program_lists_its_libraries() {
        let program = Program::read(&std::env::current_exe().unwrap()).unwrap();
        let os = if cfg!(target_os = "macos") {
            "darwin"
        } else {
            std::env::consts::OS
        };
        assert!(program.platform().starts_with(os), "{}", program.platform());
        if cfg!(all(target_os = "linux", target_env = "gnu")) {
            assert!(
                matches!(&program.needs, Needs::Glibc(version) if version[0] == 2),
                "{:?}",
                program.needs
            );
        }
    }

    #[test]
    fn debug_information_is_ballast() {
        let ballast = read(&with_debug_information()).unwrap().ballast();
        assert!(ballast.is_some_and(|ballast| ballast.starts_with("It has debug information")));
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(glibc(b"GLIBC_2.2.5"), Some(vec![2, 2, 5]));
        assert!(glibc(b"GLIBC_2.34") > glibc(b"GLIBC_2.4"));
        for other in [&b"GLIBC_PRIVATE"[..], b"GCC_3.0", b"GLIBC_"] {
            assert_eq!(glibc(other), None);
        }
    }

    #[test]
    fn what_is_no_program_is_refused() {
        assert_eq!(read(b"#!/bin/sh\n").err().unwrap(), "/it is not a program");
        assert_eq!(read(b"").err().unwrap(), "/it is not a program");
        assert!(
            read(&elf(2, 62)[..40])
                .err()
                .unwrap()
                .starts_with("/it is not a program")
        );
        assert_eq!(
            read(&elf(2, 8)).err().unwrap(),
            "/it is for the processor Mips64, which Terraform has no name for"
        );
        let fat = [&[0xca, 0xfe, 0xba, 0xbe][..], &[0; 60]].concat();
        assert_eq!(
            read(&fat).err().unwrap(),
            "/it holds programs for several processors. Name one program for each."
        );
    }
}
