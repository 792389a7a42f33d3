//! The workspace of a package, by its manifests: the folders in which the package's lock may be.
//!
//! Cargo has read the manifests before it calls the compiler, so they are valid; of TOML this reads
//! what decides where a workspace is, because a crate for all of it would be compiled by everyone
//! who uses a derive.

use std::fs;
use std::iter::Peekable;
use std::path::{Component, Path, PathBuf};
use std::str::Chars;

/// The folders in which the package's lock may be: its own, and those above it up to the
/// workspace's root; and that root where it is not above.
pub fn folders(package: &Path) -> Vec<PathBuf> {
    let root = root(package);
    let mut folders = vec![package.to_owned()];
    match &root {
        Some(root) if package.starts_with(root) => {
            folders.extend(
                package
                    .ancestors()
                    .skip(1)
                    .take_while(|above| above.starts_with(root))
                    .map(Path::to_owned),
            );
        }
        Some(root) => folders.push(root.clone()),
        // No workspace: what lies above is somebody else's.
        None => {}
    }
    folders
}

/// The root of the package's workspace, found as cargo finds it.
fn root(package: &Path) -> Option<PathBuf> {
    let own = Manifest::of(package)?;
    if own.is_root {
        return Some(package.to_owned());
    }
    if let Some(root) = &own.root {
        return Some(normalized(&package.join(root)));
    }
    package.ancestors().skip(1).find_map(|above| {
        let manifest = Manifest::of(above)?;
        if manifest.is_root {
            let is_below = |paths: &[String]| {
                paths
                    .iter()
                    .any(|path| package.starts_with(normalized(&above.join(path))))
            };
            let is_excluded = is_below(&manifest.exclude) && !is_below(&manifest.members);
            return (!is_excluded).then(|| above.to_owned());
        }
        manifest.root.map(|root| normalized(&above.join(root)))
    })
}

/// A path without `.` and `..`, as cargo makes it: links are not followed.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normalized.push(component);
            }
        }
    }
    normalized
}

/// The facts of a `Cargo.toml` about workspaces.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest {
    /// True if it has a table `workspace`.
    is_root: bool,
    /// `package.workspace`.
    root: Option<String>,
    members: Vec<String>,
    exclude: Vec<String>,
}

impl Manifest {
    fn of(folder: &Path) -> Option<Self> {
        fs::read_to_string(folder.join("Cargo.toml"))
            .ok()
            .map(|text| Self::read(&text))
    }

    fn read(text: &str) -> Self {
        let mut manifest = Self::default();
        let mut reader = Reader {
            letters: text
                .strip_prefix('\u{feff}')
                .unwrap_or(text)
                .chars()
                .peekable(),
            depth: 0,
        };
        // A manifest that cannot be read ends it, because cargo would have refused it before.
        let _ = reader.document(&mut manifest);
        manifest
    }

    fn put(&mut self, path: &[String], string: Option<String>) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match (path.as_slice(), string) {
            (["package", "workspace"], Some(root)) => self.root = Some(root),
            (["workspace", rest @ ..], string) => {
                self.is_root = true;
                match (rest, string) {
                    (["members"], Some(member)) => self.members.push(member),
                    (["exclude"], Some(excluded)) => self.exclude.push(excluded),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The largest number of arrays and tables inside one another.
const MAX_DEPTH: usize = 100;

/// A reader of TOML. Each part answers nothing where the text ends or is not TOML.
struct Reader<'t> {
    letters: Peekable<Chars<'t>>,
    depth: usize,
}

impl Reader<'_> {
    fn document(&mut self, manifest: &mut Manifest) -> Option<()> {
        let mut table = Vec::new();
        loop {
            self.blank();
            if *self.letters.peek()? == '[' {
                self.letters.next();
                let is_list = self.letters.next_if_eq(&'[').is_some();
                table.clear();
                self.keys(&mut table)?;
                for _ in 0..=usize::from(is_list) {
                    self.letters.next_if_eq(&']')?;
                }
                manifest.put(&table, None);
            } else {
                self.pair(&mut table, manifest)?;
            }
        }
    }

    /// `key = value`, inside of `table`.
    fn pair(&mut self, table: &mut Vec<String>, manifest: &mut Manifest) -> Option<()> {
        let above = table.len();
        self.keys(table)?;
        self.letters.next_if_eq(&'=')?;
        self.value(table, manifest)?;
        table.truncate(above);
        Some(())
    }

    /// `a.b."c"`, with the blanks around it.
    fn keys(&mut self, path: &mut Vec<String>) -> Option<()> {
        loop {
            self.spaces();
            let key = match self.letters.peek()? {
                '"' | '\'' => self.string()?,
                _ => {
                    let mut key = String::new();
                    let is_bare =
                        |letter: &char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
                    while let Some(letter) = self.letters.next_if(is_bare) {
                        key.push(letter);
                    }
                    key
                }
            };
            path.push(key);
            self.spaces();
            if self.letters.next_if_eq(&'.').is_none() {
                return Some(());
            }
        }
    }

    fn value(&mut self, path: &mut Vec<String>, manifest: &mut Manifest) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.spaces();
        match self.letters.peek()? {
            '"' | '\'' => {
                let string = self.string()?;
                manifest.put(path, Some(string));
            }
            '[' => {
                self.letters.next();
                manifest.put(path, None);
                loop {
                    self.blank();
                    if self.letters.next_if_eq(&']').is_some() {
                        break;
                    }
                    if self.letters.next_if_eq(&',').is_none() {
                        self.value(path, manifest)?;
                    }
                }
            }
            '{' => {
                self.letters.next();
                manifest.put(path, None);
                self.blank();
                while self.letters.next_if_eq(&'}').is_none() {
                    self.pair(path, manifest)?;
                    self.blank();
                    if self.letters.next_if_eq(&',').is_some() {
                        self.blank();
                    }
                }
            }
            // A number, a date, true or false: never a path.
            _ => {
                while self
                    .letters
                    .next_if(|letter| !matches!(letter, ',' | ']' | '}' | '#' | '\n'))
                    .is_some()
                {}
                manifest.put(path, None);
            }
        }
        self.depth -= 1;
        Some(())
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.letters.next()?;
        let mut string = String::new();
        let is_long = if self.letters.next_if_eq(&quote).is_none() {
            false
        } else if self.letters.next_if_eq(&quote).is_some() {
            true
        } else {
            return Some(string);
        };
        let mut quotes = 0;
        loop {
            let letter = self.letters.next()?;
            if letter == quote {
                quotes += 1;
                if !is_long {
                    return Some(string);
                }
                string.push(letter);
                if quotes >= 3 && self.letters.peek() != Some(&quote) {
                    string.truncate(string.len() - 3);
                    return Some(string);
                }
                continue;
            }
            quotes = 0;
            if letter != '\\' || quote == '\'' {
                string.push(letter);
                continue;
            }
            let escaped = self.letters.next()?;
            let digits = match escaped {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
            if digits > 0 {
                let digits: String = self.letters.by_ref().take(digits).collect();
                string.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
            } else {
                // No path has the escapes of control characters.
                string.push(escaped);
            }
        }
    }

    fn spaces(&mut self) {
        while self
            .letters
            .next_if(|letter| matches!(letter, ' ' | '\t'))
            .is_some()
        {}
    }

    /// Skips blanks, ends of lines and comments.
    fn blank(&mut self) {
        loop {
            while self
                .letters
                .next_if(|letter| letter.is_whitespace())
                .is_some()
            {}
            if self.letters.next_if_eq(&'#').is_none() {
                return;
            }
            while self.letters.next_if(|letter| *letter != '\n').is_some() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_found_in_every_spelling() {
        for text in [
            "[workspace]",
            "[workspace]\nmembers = [\"m\"]",
            "\u{feff} [ workspace ] # all\n",
            "[\"workspace\"]",
            "[ 'workspace' . package ]\nversion = '1'",
            "workspace.members = [\"m\"]\n[package]\nname = 'a'",
            "workspace = { members = [\"m\"], resolver = \"3\" }",
            "workspace = {}",
            "\"work\\u0073pace\".resolver = \"3\"",
            "[package]\nname = \"a\"\ndescription = \"\"\"\n[x]\\\"\"\"\"\"\nversion = 1.0\n[[bin]]\nname = 'b'\n[workspace.lints]\n",
        ] {
            assert!(Manifest::read(text).is_root, "{text}");
        }
        for text in [
            "",
            "[package]\nworkspace = \"..\"",
            "[package.workspace-hack]\n",
            "[dependencies]\na = { workspace = true, features = [\n  \"x\", # y\n ] }\n[[bin]]\nname = \"workspace\"",
            "description = \"\"\"\n[workspace]\n\"\"\"",
            "d = '''\n[workspace]\n'''",
            "# [workspace]\n",
            "[package\n[workspace",
            "[package]\na = [[[",
        ] {
            assert!(!Manifest::read(text).is_root, "{text}");
        }
    }

    #[test]
    fn members_and_pointers_are_read() {
        let text = "package = { name = \"a\", workspace = '../root' }\n[workspace]\nmembers = [ # here\n 'a', \"b\\\\c\",\n]\nexclude=[\"x\"]\n";
        let expected = Manifest {
            is_root: true,
            root: Some("../root".to_owned()),
            members: vec!["a".to_owned(), "b\\c".to_owned()],
            exclude: vec!["x".to_owned()],
        };
        assert_eq!(Manifest::read(text), expected);
    }

    #[test]
    fn folders_are_those_of_the_workspace() {
        let top = std::env::temp_dir().join(format!("upstate-manifests-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            fs::create_dir_all(top.join(path)).unwrap();
            fs::write(top.join(path).join("Cargo.toml"), text).unwrap();
        };
        let package = "[package]\nname = \"a\"\n";
        write(
            "",
            "workspace = { members = [\"crates/*\", \"out/in\"], exclude = [\"out\", \"./other/\"] }\n",
        );
        write("crates/inside", package);
        write("out/in", package);
        write("out/apart", package);
        write("other/apart", package);
        write(
            "beside",
            "[package]\nname = \"a\"\nworkspace = \"../roots/./one\"\n",
        );
        write("beside/below", package);
        write("roots/one", "[workspace]\nmembers = [\"../../beside\"]\n");
        let found = |path: &str| {
            let folders = folders(&top.join(path)).into_iter();
            folders
                .map(|folder| {
                    folder
                        .strip_prefix(&top)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned()
                })
                .collect::<Vec<_>>()
        };
        let all = [
            "crates/inside",
            "out/in",
            "out/apart",
            "other/apart",
            "beside",
            "beside/below",
            "roots/one",
        ]
        .map(found);
        fs::remove_dir_all(&top).unwrap();
        let expected: [&[&str]; 7] = [
            &["crates/inside", "crates", ""],
            &["out/in", "out", ""],
            &["out/apart"],
            &["other/apart"],
            &["beside", "roots/one"],
            &["beside/below", "roots/one"],
            &["roots/one"],
        ];
        assert_eq!(all, expected);
    }
}
