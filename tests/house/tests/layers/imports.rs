//! Which room each path in the source of a crate leads to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path from one room to another.
#[derive(Debug)]
pub(crate) struct Import {
    file: PathBuf,
    line: usize,
    /// The room that it is written in; `lib` in the root of the crate.
    pub(crate) from: String,
    /// The room that it leads to; `lib` if to something that the root itself has.
    pub(crate) to: String,
}

impl fmt::Display for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// What was found in a crate.
pub(crate) struct Found {
    pub(crate) imports: Vec<Import>,
    pub(crate) rooms: BTreeSet<String>,
}

/// The rooms of the crate in the folder `src`, and every path between two of them.
pub(crate) fn imports(src: &Path) -> Found {
    let mut files = Vec::new();
    collect(src, &mut Vec::new(), &mut files);
    let lib = fs::read_to_string(src.join("lib.rs")).expect("the crate has a root");
    let manifest = fs::read_to_string(src.join("../Cargo.toml")).expect("the crate has a manifest");
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = ")).expect("the crate has a name");
    let own = name.trim_matches('"').replace('-', "_");
    let mut rooms: BTreeSet<String> = files.iter().filter_map(|(_, module)| module.first().cloned()).collect();
    let root = Root { own, names: root_names(&lib, &rooms), rooms: rooms.clone() };
    rooms.insert("lib".to_owned());
    let mut imports = Vec::new();
    for (path, module) in &files {
        let source = fs::read_to_string(path).expect("a file of the crate can be read");
        let shown = path.strip_prefix(src).unwrap_or(path);
        imports.extend(of_file(shown, &source, module, &root).expect("a file of the crate is Rust"));
    }
    Found { imports, rooms }
}

/// The files of a crate and the modules that they are, without binaries, and without modules called `tests`: those are there for
/// tests only.
fn collect(folder: &Path, module: &mut Vec<String>, files: &mut Vec<(PathBuf, Vec<String>)>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder of the crate can be read").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
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
        let is_source = path.extension().is_some_and(|extension| extension == "rs") && !stem.ends_with(".expanded");
        match stem.as_str() {
            _ if !is_source => {}
            "main" if module.is_empty() => {}
            "lib" | "mod" => files.push((path, module.clone())),
            _ => files.push((path, [module.as_slice(), &[stem]].concat())),
        }
    }
}

/// The names that the root takes from a room, and from which.
fn root_names(lib: &str, rooms: &BTreeSet<String>) -> BTreeMap<String, String> {
    let tokens: Vec<TokenTree> = lib.parse::<TokenStream>().expect("the root is Rust").into_iter().collect();
    let mut names = BTreeMap::new();
    for (index, token) in tokens.iter().enumerate() {
        let (TokenTree::Ident(keyword), Some(TokenTree::Ident(room))) = (token, tokens.get(index + 1)) else { continue };
        if keyword == "use" && rooms.contains(&room.to_string()) {
            let item = tokens.iter().skip(index + 1).take_while(|token| !is_punct(token, ';'));
            let mut last = Vec::new();
            leaves(item.cloned().collect(), &mut last);
            names.extend(last.into_iter().map(|name| (name, room.to_string())));
        }
    }
    names
}

/// The last name of each path in a tree of `use`.
fn leaves(tokens: Vec<TokenTree>, names: &mut Vec<String>) {
    for piece in tokens.split(|token| is_punct(token, ',')) {
        match piece.last() {
            Some(TokenTree::Ident(name)) => names.push(name.to_string()),
            Some(TokenTree::Group(group)) => leaves(group.stream().into_iter().collect(), names),
            _ => {}
        }
    }
}

/// Every path in one file that leads to a room by way of the root of the crate.
pub(crate) fn of_file(file: &Path, source: &str, module: &[String], root: &Root) -> Result<Vec<Import>, String> {
    let tokens = source.parse::<TokenStream>().map_err(|error| format!("{}: {error}", file.display()))?;
    let mut scan = Scan { file, root, imports: Vec::new() };
    scan.tokens(tokens, &mut module.to_vec());
    Ok(scan.imports)
}

/// What there is in the root of a crate.
pub(crate) struct Root {
    /// The name of the crate, as it may call itself.
    pub(crate) own: String,
    /// The names that the root takes from a room, and from which.
    pub(crate) names: BTreeMap<String, String>,
    /// The rooms.
    pub(crate) rooms: BTreeSet<String>,
}

impl Root {
    /// The room of a name in the root.
    fn room(&self, name: &str) -> &str {
        match (self.names.get(name), self.rooms.get(name)) {
            (Some(room), _) | (None, Some(room)) => room,
            (None, None) => "lib",
        }
    }
}

struct Scan<'a> {
    file: &'a Path,
    root: &'a Root,
    imports: Vec<Import>,
}

impl Scan<'_> {
    fn tokens(&mut self, tokens: TokenStream, module: &mut Vec<String>) {
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
                TokenTree::Ident(keyword) if keyword == "use" && module.is_empty() => {
                    // In the root a plain name is a room, if it is none of another crate.
                    let item: Vec<TokenTree> =
                        tokens.iter().skip(index + 1).take_while(|token| !is_punct(token, ';')).cloned().collect();
                    if let Some(TokenTree::Ident(first)) = item.first()
                        && first != "crate"
                        && first != "self"
                    {
                        self.path(&item, Vec::new(), module);
                        index += item.len();
                    }
                }
                TokenTree::Ident(_) if !follows_colons(&tokens, index) || is_absolute(&tokens, index) => {
                    self.begin(&tokens, index, module);
                }
                TokenTree::Group(group) => self.tokens(group.stream(), module),
                _ => {}
            }
            index += 1;
        }
    }

    /// A path, if one begins at `index` that says where it begins.
    fn begin(&mut self, tokens: &[TokenTree], index: usize, module: &[String]) {
        let Some(TokenTree::Ident(first)) = tokens.get(index) else { return };
        let known = first == "crate" || first == "super" || *first == self.root.own;
        let goes_on = tokens.get(index + 1).is_some_and(is_colon) && tokens.get(index + 2).is_some_and(is_colon);
        if !(known && goes_on) {
            return;
        }
        let base = if first == "super" { module.split_last().map_or(&[][..], |(_, above)| above) } else { &[] };
        self.path(tokens.get(index + 3..).unwrap_or_default(), base.to_vec(), module);
    }

    /// The rest of a path, below the module `base`.
    fn path(&mut self, tokens: &[TokenTree], mut base: Vec<String>, module: &[String]) {
        match tokens {
            [TokenTree::Ident(step), colon, again, rest @ ..]
                if (step == "super" || step == "self") && is_colon(colon) && is_colon(again) =>
            {
                if step == "super" {
                    base.pop();
                }
                self.path(rest, base, module);
            }
            [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Brace => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                for piece in tokens.split(|token| is_punct(token, ',')).filter(|piece| !piece.is_empty()) {
                    self.path(piece, base.clone(), module);
                }
            }
            [TokenTree::Ident(name), ..] => {
                let to = base.first().cloned().unwrap_or_else(|| self.root.room(&name.to_string()).to_owned());
                let from = module.first().map_or("lib", String::as_str).to_owned();
                self.imports.push(Import { file: self.file.to_owned(), line: name.span().start().line, from, to });
            }
            _ => {}
        }
    }
}

/// Whether the item whose keyword is at `index` is there for tests only.
fn is_for_tests(tokens: &[TokenTree], index: usize) -> bool {
    let before = tokens.get(..index).unwrap_or_default();
    matches!(before, [.., TokenTree::Punct(hash), TokenTree::Group(attribute)]
        if hash.as_char() == '#' && attribute.stream().to_string().replace(' ', "") == "cfg(test)")
}

fn follows_colons(tokens: &[TokenTree], index: usize) -> bool {
    index >= 2 && tokens.get(index - 1).is_some_and(is_colon) && tokens.get(index - 2).is_some_and(is_colon)
}

/// Whether the colons before it begin a path, as in `::upstate`.
fn is_absolute(tokens: &[TokenTree], index: usize) -> bool {
    let before = index.checked_sub(3).and_then(|before| tokens.get(before));
    follows_colons(tokens, index) && !matches!(before, Some(TokenTree::Ident(before)) if before != "use")
}

fn is_colon(token: &TokenTree) -> bool {
    is_punct(token, ':')
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}
