//! Reading files.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::Path;
#[cfg(unix)]
use std::{
    sync::{Mutex, PoisonError},
    thread,
};

#[cfg(unix)]
use memmap2::MmapMut;

/// Files larger than this are read by several threads.
#[cfg(unix)]
const LARGE: usize = 32 << 20;

/// The bytes of a file, read into memory.
pub struct FileBytes(Held);

enum Held {
    Buffer(Vec<u8>),
    /// The pages that hold a large file.
    #[cfg(unix)]
    Pages(MmapMut),
}

impl Deref for FileBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::Buffer(bytes) => bytes,
            #[cfg(unix)]
            Held::Pages(pages) => pages,
        }
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Held::Buffer(bytes))
    }
}

/// Says how many there are, not what they are: stored values may be secrets.
impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileBytes({} bytes)", self.len())
    }
}

/// Reads a whole file, by all cores if it is large.
///
/// The file is not mapped into memory, although that would save a copy: somebody who shortens or
/// rewrites it meanwhile, as Terraform does in place, would change or take away bytes that have
/// been checked already.
///
/// # Errors
/// The file can't be read.
pub fn read(path: &Path) -> io::Result<FileBytes> {
    read_from(&File::open(path)?)
}

/// Reads a file that is open from its beginning.
pub(super) fn read_from(mut file: &File) -> io::Result<FileBytes> {
    let metadata = file.metadata()?;
    let length = usize::try_from(metadata.len())
        .map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut bytes = Vec::new();
    #[cfg(unix)]
    if metadata.is_file() && length >= LARGE {
        let mut pages = pages(length)?;
        read_in_parts(file, &mut pages)?;
        io::Seek::seek(&mut file, io::SeekFrom::Start(metadata.len()))?;
        // The file may have grown since its length was read, so the bytes behind that length are
        // read too.
        file.read_to_end(&mut bytes)?;
        return Ok(if bytes.is_empty() {
            FileBytes(Held::Pages(pages))
        } else {
            [&*pages, &*bytes].concat().into()
        });
    }
    bytes.try_reserve_exact(length.saturating_add(1))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// Memory for so many bytes. To give it out in pages of 4 KB takes the system twice as long as to
/// copy a file into it, so it is asked for larger ones; if it has none, it gives out small ones.
#[cfg(unix)]
fn pages(length: usize) -> io::Result<MmapMut> {
    let pages = MmapMut::map_anon(length)?;
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Ok(pages)
}

#[cfg(unix)]
fn read_in_parts(file: &File, bytes: &mut [u8]) -> io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    let threads = thread::available_parallelism()
        .map_or(1, std::num::NonZeroUsize::get)
        .min(8);
    let part = bytes.len().div_ceil(threads);
    let parts: Vec<_> = bytes
        .chunks_mut(part)
        .zip((0_u64..).step_by(part))
        .map(Mutex::new)
        .collect();
    let read = |part: &Mutex<(&mut [u8], u64)>| {
        let (part, at) = &mut *part.lock().unwrap_or_else(PoisonError::into_inner);
        file.read_exact_at(part, *at)
    };
    thread::scope(|scope| {
        let read = &read;
        let start = |part| {
            (
                part,
                thread::Builder::new().spawn_scoped(scope, move || read(part)),
            )
        };
        let running: Vec<_> = parts.iter().map(start).collect();
        running
            .into_iter()
            .try_for_each(|(part, thread)| match thread {
                Ok(thread) => thread
                    .join()
                    .unwrap_or_else(|_| Err(io::ErrorKind::Other.into())),
                // The system may refuse more threads.
                Err(_) => read(part),
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_not_shown() {
        assert_eq!(
            format!("{:?}", FileBytes::from(b"secret".to_vec())),
            "FileBytes(6 bytes)"
        );
    }

    #[test]
    fn a_large_file_is_read_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        let content: Vec<u8> = (0..251_u8).cycle().take(LARGE + 12_345).collect();
        std::fs::write(&path, &content).unwrap();
        assert!(*read(&path).unwrap() == content);
        std::fs::write(&path, "small").unwrap();
        assert_eq!(*read(&path).unwrap(), *b"small");
        assert!(read(&folder.path().join("missing")).is_err());
    }
}
