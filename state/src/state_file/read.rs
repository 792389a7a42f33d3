//! Reading files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
#[cfg(unix)]
use std::{
    sync::{Mutex, PoisonError},
    thread,
};

/// Files larger than this are read by several threads.
#[cfg(unix)]
const LARGE: usize = 32 << 20;

/// Reads a whole file, by all cores if it is large.
///
/// The file is not mapped into memory, although that would save a copy: somebody who shortens or rewrites it meanwhile, as
/// Terraform does in place, would change or take away bytes that have been checked already.
///
/// # Errors
/// The file can't be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_from(&File::open(path)?)
}

/// Reads a file that is open from its beginning.
pub(super) fn read_from(mut file: &File) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    let length = usize::try_from(metadata.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut bytes = Vec::new();
    #[cfg(unix)]
    if metadata.is_file() && length >= LARGE {
        bytes = vec![0; length];
        read_in_parts(file, &mut bytes)?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(metadata.len()))?;
    }
    if bytes.is_empty() {
        bytes.try_reserve_exact(length.saturating_add(1))?;
    }
    // What was written behind it meanwhile, or all of it if it is not a regular file.
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn read_in_parts(file: &File, bytes: &mut [u8]) -> io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    let threads = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get).min(8);
    let part = bytes.len().div_ceil(threads);
    let parts: Vec<_> = bytes.chunks_mut(part).zip((0_u64..).step_by(part)).map(Mutex::new).collect();
    let read = |part: &Mutex<(&mut [u8], u64)>| {
        let (part, at) = &mut *part.lock().unwrap_or_else(PoisonError::into_inner);
        file.read_exact_at(part, *at)
    };
    thread::scope(|scope| {
        let read = &read;
        let start = |part| (part, thread::Builder::new().spawn_scoped(scope, move || read(part)));
        let running: Vec<_> = parts.iter().map(start).collect();
        running.into_iter().try_for_each(|(part, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into())),
            // The system may refuse more threads.
            Err(_) => read(part),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        let content: Vec<u8> = (0..251_u8).cycle().take(LARGE + 12_345).collect();
        std::fs::write(&path, &content).unwrap();
        assert!(read(&path).unwrap() == content);
        std::fs::write(&path, "small").unwrap();
        assert_eq!(read(&path).unwrap(), b"small");
        assert!(read(&folder.path().join("missing")).is_err());
    }
}
