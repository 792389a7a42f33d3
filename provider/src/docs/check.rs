//! The pages in a folder, compared with the provider and with what a registry takes.

use std::fs;
use std::io;
use std::path::Path;

use super::page::Kind;
use super::{Docs, GUIDES, read};

/// The bytes of a page that are too many for a registry.
const TOO_LARGE: u64 = 500_000;

/// The most files that a registry takes.
const MOST: usize = 2000;

impl Docs {
    /// The problems of the pages in a folder, a sentence for each: pages that are missing, also
    /// `index.md` where nothing makes it, or are not as they would be written now, or are of what
    /// the provider does not serve; examples and templates of such; guides without a title, and
    /// those of which there is only a template; and what a registry refuses, as too large a page.
    /// Pages in `cdktf` are not looked at. Pages, examples and templates of nothing, and templates
    /// of guides, are not looked for if a program [beside](crate::Provider::beside) this one may
    /// serve their types.
    ///
    /// ```
    /// # use upstate::Object;
    /// # use upstate_provider::Provider;
    /// # #[derive(Object)]
    /// # struct Config {}
    /// # fn provider() -> Provider<()> { Provider::new("example.com/me/acme", async |_: Config| Ok(())) }
    /// # let folder = tempfile::tempdir()?;
    /// # let (examples, docs) = (folder.path().join("examples"), folder.path().join("docs"));
    /// # provider().docs(&examples)?.write(&docs)?;
    /// std::fs::create_dir_all(docs.join("resources"))?;
    /// std::fs::write(docs.join("resources/raft.md"), "Sunk.")?;
    /// assert_eq!(provider().docs(&examples)?.problems(&docs)?, ["resources/raft.md is about something that the provider does not serve"]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn problems(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut problems = Vec::new();
        for path in self.stale(folder)? {
            let what = if folder.join(path).exists() {
                "is out of date"
            } else {
                "is missing"
            };
            problems.push(format!("{path} {what}"));
        }
        // No page is made of a configuration that is also another provider's.
        if !self.pages.contains_key("index.md") && !folder.join("index.md").exists() {
            problems.push(
                "index.md is missing: write it, or the template index.md.tmpl, with the configuration of both providers"
                    .to_owned(),
            );
        }
        let mut files = Vec::new();
        walk(folder, "", &mut files)?;
        for (path, size) in &files {
            problems.extend(self.problem_of(folder, path, *size)?);
        }
        if files.len() > MOST {
            problems.push(format!(
                "there are {} files, and a registry takes {MOST}",
                files.len()
            ));
        }
        problems.extend(
            self.of_nothing
                .iter()
                .map(|it| format!("the {it} is about something that the provider does not serve")),
        );
        // `tfplugindocs` makes guides, too, also of files that are no templates.
        for name in &self.guides {
            let guide = folder.join(name.strip_suffix(".tmpl").unwrap_or(name));
            // Other files, `.gitkeep` for one, make no page.
            if guide.extension().is_some_and(|ending| ending == "md") && !guide.exists() {
                problems.push(format!(
                    "the template {name} makes no page: write {}",
                    guide.display()
                ));
            }
        }
        let older = folder.with_file_name("website").join("docs");
        if older.exists() {
            problems.push(format!(
                "{} is there too, and a registry takes one of both",
                older.display()
            ));
        }
        Ok(problems)
    }

    fn problem_of(&self, folder: &Path, path: &str, size: u64) -> io::Result<Option<String>> {
        let (directory, _) = path.rsplit_once('/').unwrap_or(("", path));
        if Path::new(path)
            .extension()
            .is_none_or(|ending| ending != "md")
        {
            return Ok(Some(format!(
                "{path} does not end in .md, so that a registry does not show it"
            )));
        }
        if size >= TOO_LARGE {
            return Ok(Some(format!(
                "{path} has {size} bytes, and a registry takes less than {TOO_LARGE}"
            )));
        }
        Ok(match directory {
            "" => None,
            GUIDES => {
                let guide = read(&folder.join(path))?.unwrap_or_default();
                (!has_title(&guide))
                    .then(|| format!("{path} does not begin with `---`, a `page_title:` and `---`"))
            }
            directory if Kind::ALL.iter().any(|kind| kind.folder() == directory) => {
                let unknown = self.is_whole && !self.pages.contains_key(path);
                unknown
                    .then(|| format!("{path} is about something that the provider does not serve"))
            }
            directory => Some(format!(
                "{path} is in the folder {directory}, which a registry does not know"
            )),
        })
    }
}

/// The files below a folder, with `/` between folders, and their sizes.
fn walk(folder: &Path, below: &str, files: &mut Vec<(String, u64)>) -> io::Result<()> {
    let mut entries = match fs::read_dir(folder.join(below)) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            return Err(io::Error::new(
                error.kind(),
                format!("{}: {error}", folder.join(below).display()),
            ));
        }
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        let metadata = fs::metadata(entry.path())?;
        if !metadata.is_dir() {
            files.push((path, metadata.len()));
        } else if path != "cdktf" {
            walk(folder, &path, files)?;
        }
    }
    Ok(())
}

fn has_title(guide: &str) -> bool {
    let front = guide
        .strip_prefix("---")
        .and_then(|rest| rest.split_once("\n---"));
    front.is_some_and(|(front, _)| front.lines().any(|line| line.starts_with("page_title:")))
}
