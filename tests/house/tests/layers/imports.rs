//! Every path in the source of a crate, and the module that it leads to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The names of a module and those around it, from the root of the crate; none for the root itself.
pub(crate) type Module = Vec<String>;

/// A path from one module to an item or module.
#[derive(Debug)]
pub(crate) struct Import {
    file: PathBuf,
    line: usize,
    /// The module that it is written in.
    pub(crate) from: Module,
    /// Its names from the root of the crate, the item included.
    pub(crate) to: Vec<String>,
    kind: Kind,
}

/// The way in which a path is written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// In an expression or a type.
    Path,
    /// By `use`, which passes the name on to the modules below.
    Use,
    /// By `pub use`, which passes the name on and does not use it.
    Reexport,
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// The modules that are files of a crate, and all paths between them.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) imports: Vec<Import>,
    pub(crate) modules: BTreeSet<Module>,
}

impl Source {
    /// Reads the crate in the folder `src`.
    pub(crate) fn read(src: &Path) -> Self {
        let mut files = Vec::new();
        collect(src, &mut Vec::new(), &mut files);
        let manifest =
            fs::read_to_string(src.join("../Cargo.toml")).expect("the crate has a manifest");
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = "))
            .expect("the crate has a name");
        let own = name.trim_matches('"').replace('-', "_");
        let mut source = Self {
            modules: files.iter().map(|(_, module)| module.clone()).collect(),
            ..Self::default()
        };
        source.modules.insert(Module::new());
        for (path, module) in &files {
            let text = fs::read_to_string(path).expect("a file of the crate can be read");
            let shown = path.strip_prefix(src).unwrap_or(path);
            source
                .add(shown, &text, module, &own)
                .expect("a file of the crate is Rust");
        }
        source
    }

    /// Adds the paths of one file. `own` is the name by which the crate may call itself.
    pub(crate) fn add(
        &mut self,
        file: &Path,
        text: &str,
        module: &[String],
        own: &str,
    ) -> Result<(), String> {
        let tokens = text
            .parse::<TokenStream>()
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let mut scan = Scan {
            file,
            own,
            modules: &self.modules,
            imports: Vec::new(),
        };
        scan.tokens(tokens, &mut module.to_vec());
        self.imports.extend(scan.imports);
        Ok(())
    }

    /// The names in the folder of a module: its files and folders, and `lib` for the root itself.
    pub(crate) fn rooms(&self, folder: &[String]) -> BTreeSet<String> {
        let mut rooms: BTreeSet<String> = self
            .modules
            .iter()
            .filter_map(|module| module.strip_prefix(folder)?.first().cloned())
            .collect();
        if folder.is_empty() {
            rooms.insert("lib".to_owned());
        }
        rooms
    }

    /// True if a folder has this room. A list of all is too much for each import.
    fn has_room(&self, folder: &[String], name: &str) -> bool {
        let is_below = |module: &Module| {
            module
                .strip_prefix(folder)
                .is_some_and(|rest| rest.first().is_some_and(|first| first == name))
        };
        (folder.is_empty() && name == "lib") || self.modules.iter().any(is_below)
    }

    /// The room of a folder that a path leads to: by a module's name, or by a name that the
    /// folder's own file passes on.
    pub(crate) fn room(&self, folder: &[String], path: &[String]) -> Option<String> {
        let own = || if folder.is_empty() { "lib" } else { "mod" }.to_owned();
        let Some(name) = path.strip_prefix(folder)?.first() else {
            return Some(own());
        };
        if self.has_room(folder, name) {
            return Some(name.clone());
        }
        match self.reexport(folder, name) {
            Some(further) => further
                .strip_prefix(folder)?
                .first()
                .filter(|room| self.has_room(folder, room))
                .cloned(),
            None => Some(own()),
        }
    }

    /// The path behind a name that a module passes on.
    fn reexport<'p>(&'p self, module: &[String], name: &str) -> Option<&'p [String]> {
        let mut passed_on = self
            .imports
            .iter()
            .filter(|import| import.kind != Kind::Path && import.from == module);
        passed_on
            .find(|import| import.to.last().is_some_and(|last| last == name))
            .map(|import| import.to.as_slice())
    }

    /// The file that a path leads to, through names that are passed on.
    fn file<'p>(&'p self, path: &'p [String]) -> &'p [String] {
        let mut module = self.prefix(path);
        let mut path = path;
        // No name is passed on so often; a name that leads back to itself ends here.
        for _ in 0..8 {
            match path
                .get(module.len())
                .and_then(|item| self.reexport(module, item))
            {
                Some(further) => (path, module) = (further, self.prefix(further)),
                None => break,
            }
        }
        module
    }

    /// The longest beginning of a path that is a file.
    fn prefix<'p>(&self, path: &'p [String]) -> &'p [String] {
        (0..=path.len())
            .rev()
            .find_map(|end| {
                path.get(..end)
                    .filter(|module| self.modules.contains(*module))
            })
            .unwrap_or_default()
    }

    /// The files that each file uses.
    pub(crate) fn uses(&self) -> BTreeMap<&[String], BTreeSet<&[String]>> {
        let mut uses: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
        for import in self
            .imports
            .iter()
            .filter(|import| import.kind != Kind::Reexport)
        {
            let (from, to) = (self.prefix(&import.from), self.file(&import.to));
            if from != to {
                uses.entry(from).or_default().insert(to);
            }
        }
        uses
    }
}

/// The text of all files of a crate.
pub(crate) fn text_below(src: &Path) -> String {
    let mut files = Vec::new();
    collect(src, &mut Vec::new(), &mut files);
    files
        .iter()
        .map(|(path, _)| fs::read_to_string(path).expect("a file of the crate can be read"))
        .collect()
}

/// The files of a crate and the modules that they are, without binaries, and without modules called
/// `tests`: those are there for tests only.
fn collect(folder: &Path, module: &mut Vec<String>, files: &mut Vec<(PathBuf, Vec<String>)>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder of the crate can be read")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default()
            .to_owned();
        if stem == "tests" {
            continue;
        }
        if path.is_dir() {
            if stem != "bin" && stem != "testdata" {
                module.push(stem);
                collect(&path, module, files);
                module.pop();
            }
            continue;
        }
        let is_source = path.extension().is_some_and(|extension| extension == "rs")
            && !stem.ends_with(".expanded");
        match stem.as_str() {
            _ if !is_source => {}
            "main" if module.is_empty() => {}
            "lib" | "mod" => files.push((path, module.clone())),
            _ => files.push((path, [module.as_slice(), &[stem]].concat())),
        }
    }
}

struct Scan<'a> {
    file: &'a Path,
    own: &'a str,
    modules: &'a BTreeSet<Module>,
    imports: Vec<Import>,
}

impl Scan<'_> {
    fn tokens(&mut self, tokens: TokenStream, module: &mut Module) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            match token {
                TokenTree::Ident(keyword) if keyword == "mod" => {
                    if let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
                        (tokens.get(index + 1), tokens.get(index + 2))
                    {
                        if !is_for_tests(&tokens, index) {
                            module.push(name.to_string());
                            self.tokens(body.stream(), module);
                            module.pop();
                        }
                        index += 2;
                    }
                }
                TokenTree::Ident(keyword) if keyword == "use" => {
                    let item: Vec<TokenTree> = tokens
                        .iter()
                        .skip(index + 1)
                        .take_while(|token| !is_punct(token, ';'))
                        .cloned()
                        .collect();
                    if !is_for_tests(&tokens, index) {
                        let kind = if is_public(&tokens, index) {
                            Kind::Reexport
                        } else {
                            Kind::Use
                        };
                        self.item(&item, kind, module);
                    }
                    index += item.len();
                }
                TokenTree::Ident(_)
                    if !follows_colons(&tokens, index) || is_absolute(&tokens, index) =>
                {
                    if let Some((rest, base)) =
                        self.begin(tokens.get(index..).unwrap_or_default(), module)
                    {
                        self.path(rest, base, module, Kind::Path);
                    }
                }
                TokenTree::Group(group) => self.tokens(group.stream(), module),
                _ => {}
            }
            index += 1;
        }
    }

    /// A tree of `use`: from the root, from the module around it, or from a module below it.
    fn item(&mut self, tokens: &[TokenTree], kind: Kind, module: &[String]) {
        let tokens = match tokens {
            [colon, again, rest @ ..] if is_colon(colon) && is_colon(again) => rest,
            _ => tokens,
        };
        if let Some((rest, base)) = self.begin(tokens, module) {
            return self.path(rest, base, module, kind);
        }
        if let Some(TokenTree::Ident(first)) = tokens.first() {
            let below = [module, &[first.to_string()]].concat();
            if first == "self" || self.modules.contains(&below) {
                self.path(tokens, module.to_vec(), module, kind);
            }
        }
    }

    /// Splits off what says where a path begins: `crate`, `super` or the name of the crate.
    fn begin<'t>(
        &self,
        tokens: &'t [TokenTree],
        module: &[String],
    ) -> Option<(&'t [TokenTree], Module)> {
        let [TokenTree::Ident(first), colon, again, rest @ ..] = tokens else {
            return None;
        };
        if !(is_colon(colon) && is_colon(again)) {
            return None;
        }
        let above = || {
            module
                .split_last()
                .map_or_else(Module::new, |(_, above)| above.to_vec())
        };
        match first.to_string() {
            name if name == "crate" || name == self.own => Some((rest, Module::new())),
            name if name == "super" => Some((rest, above())),
            _ => None,
        }
    }

    /// The rest of a path, below the module `base`.
    fn path(&mut self, tokens: &[TokenTree], mut base: Vec<String>, module: &[String], kind: Kind) {
        match tokens {
            [TokenTree::Ident(step), colon, again, rest @ ..]
                if is_colon(colon) && is_colon(again) =>
            {
                match step.to_string().as_str() {
                    "super" => drop(base.pop()),
                    "self" => {}
                    name => base.push(name.to_owned()),
                }
                // The fish of generic arguments ends a path.
                if matches!(
                    rest.first(),
                    Some(TokenTree::Ident(_) | TokenTree::Group(_))
                ) {
                    self.path(rest, base, module, kind);
                } else {
                    self.end(base, step, module, kind);
                }
            }
            [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Brace => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                for piece in tokens
                    .split(|token| is_punct(token, ','))
                    .filter(|piece| !piece.is_empty())
                {
                    self.path(piece, base.clone(), module, kind);
                }
            }
            [TokenTree::Ident(name), ..] => {
                if name != "self" {
                    base.push(name.to_string());
                }
                self.end(base, name, module, kind);
            }
            _ => {}
        }
    }

    fn end(&mut self, to: Vec<String>, last: &proc_macro2::Ident, module: &[String], kind: Kind) {
        let line = last.span().start().line;
        self.imports.push(Import {
            file: self.file.to_owned(),
            line,
            from: module.to_vec(),
            to,
            kind,
        });
    }
}

/// True if `pub` is before the keyword at `index`, with or without how far it goes.
fn is_public(tokens: &[TokenTree], index: usize) -> bool {
    match tokens.get(..index).unwrap_or_default() {
        [.., TokenTree::Ident(word)] => word == "pub",
        [.., TokenTree::Ident(word), TokenTree::Group(_)] => word == "pub",
        _ => false,
    }
}

/// True if the item whose keyword is at `index` is there for tests only.
fn is_for_tests(tokens: &[TokenTree], index: usize) -> bool {
    let before = tokens.get(..index).unwrap_or_default();
    matches!(before, [.., TokenTree::Punct(hash), TokenTree::Group(attribute)]
        if hash.as_char() == '#' && attribute.stream().to_string().replace(' ', "") == "cfg(test)")
}

fn follows_colons(tokens: &[TokenTree], index: usize) -> bool {
    index >= 2
        && tokens.get(index - 1).is_some_and(is_colon)
        && tokens.get(index - 2).is_some_and(is_colon)
}

/// True if the colons before it begin a path, as in `::upstate`.
fn is_absolute(tokens: &[TokenTree], index: usize) -> bool {
    let before = index.checked_sub(3).and_then(|before| tokens.get(before));
    follows_colons(tokens, index)
        && !matches!(before, Some(TokenTree::Ident(before)) if before != "use")
}

fn is_colon(token: &TokenTree) -> bool {
    is_punct(token, ':')
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}
