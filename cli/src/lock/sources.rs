//! The place in the Rust source of the struct or field that a finding is about.
//!
//! A binary knows of each of its structs the file and line where the compiler saw it. Where that
//! file is at hand it is read, and struct and field are looked up in it; a binary that runs
//! elsewhere knows nothing.

use std::collections::{BTreeSet, HashMap};
use std::panic::Location;
use std::path::{Path, PathBuf};

use serde::Serialize;
use syn::visit::{self, Visit};
use upstate::schema::{Attribute, Block, Schema, Shape};
use upstate::upgrade::History;
use upstate::{Registry, ResourceDefinition};
use upstate_compat::Finding;

/// A place in a file that somebody can open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Place {
    /// Relative to the repository, with `/`.
    pub(super) file: String,
    /// From 1 on.
    pub(super) line: usize,
    /// From 1 on, in characters.
    pub(super) col: usize,
}

/// Source files, each read once.
#[derive(Debug)]
pub(super) struct Sources<'r> {
    registry: &'r Registry,
    /// The folders that a file's name may be relative to.
    folders: Vec<PathBuf>,
    files: HashMap<&'static str, Option<File>>,
}

#[derive(Debug)]
struct File {
    shown: String,
    lines: usize,
    structs: Vec<Struct>,
}

#[derive(Debug)]
struct Struct {
    name: String,
    /// From the first line of its attributes to its last.
    lines: std::ops::RangeInclusive<usize>,
    at: (usize, usize),
    fields: Vec<(String, (usize, usize))>,
}

/// A struct, and the field of it that is meant.
type Target = (&'static str, &'static Location<'static>, Option<String>);

impl<'r> Sources<'r> {
    /// Reports on all that `registry` serves. Files are looked for in the folders above `near` and
    /// the one that the program runs in.
    pub(super) fn new(registry: &'r Registry, near: &Path) -> Self {
        let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let starts = [
            std::env::current_dir().ok(),
            std::path::absolute(near).ok(),
            package,
        ];
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in starts.iter().flatten().flat_map(|start| start.ancestors()) {
            if !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_owned());
            }
        }
        Self {
            registry,
            folders,
            files: HashMap::new(),
        }
    }

    /// The source place of `finding`; nothing without the source, or if the type is gone.
    pub(super) fn find(&mut self, finding: &Finding) -> Option<Place> {
        let (name, place, field) = self.target(finding)?;
        let folders = &self.folders;
        let file = self
            .files
            .entry(place.file())
            .or_insert_with(|| File::open(folders, place.file()))
            .as_ref()?;
        let derived = usize::try_from(place.line()).ok()?;
        let (line, col) = file.lookup(name, derived, field.as_deref()).or_else(|| {
            // A struct that a macro wrote: the place where the macro was called.
            (derived <= file.lines)
                .then_some((derived, usize::try_from(place.column()).unwrap_or(1)))
        })?;
        Some(Place {
            file: file.shown.clone(),
            line,
            col,
        })
    }

    /// Marks the sources of models below `folder` as changed, so that cargo compiles them again: a
    /// file that was not there, it does not watch.
    pub(super) fn touch(&self, folder: &Path) {
        let Ok(folder) = std::path::absolute(folder) else {
            return;
        };
        let names: BTreeSet<&str> = self
            .registry
            .definitions()
            .filter_map(|definition| Some(definition.schema().model()?.1.file()))
            .collect();
        for name in names {
            let mut paths = self
                .folders
                .iter()
                .map(|above| above.join(name))
                .filter(|path| path.starts_with(&folder));
            if let Some(path) = paths.find(|path| path.is_file()) {
                // A source that cannot be written is compiled when it is next changed.
                let file = std::fs::File::options().append(true).open(path);
                let _ = file.and_then(|file| file.set_modified(std::time::SystemTime::now()));
            }
        }
    }

    fn target(&self, finding: &Finding) -> Option<Target> {
        if let Some(definition) = self.registry.get(&finding.resource) {
            let identity = definition
                .identity()
                .filter(|_| finding.rule.id() == "identity-schema-changed");
            return match (identity, finding.path.strip_prefix("identity")) {
                (Some(identity), Some(path)) => {
                    innermost(identity.schema(), path.trim_start_matches('.'))
                }
                _ => target(definition, finding),
            };
        }
        let served = self
            .registry
            .served()
            .find(|served| served.address() == finding.resource)?;
        innermost(served.schema(), path_now(finding))
    }
}

/// The innermost struct on the finding's path, and the field of it that the path names. What is
/// gone is at home where it was.
fn target(definition: &ResourceDefinition, finding: &Finding) -> Option<Target> {
    if finding.rule.id().starts_with("prior-schema-")
        && let Some(version) = leading_number(finding.old.as_deref().or(finding.new.as_deref()))
        && let Some(prior) = definition
            .history()
            .and_then(|history| prior(history, version))
    {
        let (name, place) = prior.model()?;
        return Some((name, place, None));
    }
    innermost(definition.schema(), path_now(finding))
}

/// The path of a finding; what is called something else is at home where it is now.
fn path_now(finding: &Finding) -> &str {
    match finding.rule.id() {
        "attribute-renamed" | "attribute-moved" | "function-parameter-renamed" => {
            finding.new.as_deref().unwrap_or(&finding.path)
        }
        _ => &finding.path,
    }
}

fn innermost(schema: &Schema, path: &str) -> Option<Target> {
    let (mut name, mut place) = schema.model()?;
    let mut members = Members::Block(schema.block());
    let mut field = None;
    let mut steps = path.split('.').peekable();
    while let Some(step) = steps.next() {
        let Some(member) = members.get(bare(step)) else {
            break;
        };
        field = Some(member.field);
        let (Some(inside), Some(_)) = (member.inside, steps.peek()) else {
            break;
        };
        members = inside;
        if let Some(model) = member.model {
            (name, place) = model;
            field = None;
        }
    }
    Some((name, place, field))
}

/// The name in a step of a path, without the positions inside of its values: `sizes` of
/// `sizes[*][0]`.
fn bare(step: &str) -> &str {
    step.split('[').next().unwrap_or(step)
}

fn leading_number(text: Option<&str>) -> Option<u64> {
    text?
        .split(|letter: char| !letter.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// The schema of the prior model that reads what was stored at `version`.
fn prior(history: &'static History, version: u64) -> Option<&'static Schema> {
    history.steps().iter().find_map(|step| {
        let model = step.prior()?;
        if (step.from()..=step.last()).contains(&version) {
            Some(model.schema())
        } else {
            prior(model, version)
        }
    })
}

/// The parts of a path.
#[derive(Clone, Copy)]
enum Members<'s> {
    Block(&'s Block),
    Attributes(&'s [Attribute]),
}

/// One step of a path.
struct Member<'s> {
    /// The name of the field.
    field: String,
    /// The struct inside of it.
    model: Option<(&'static str, &'static Location<'static>)>,
    inside: Option<Members<'s>>,
}

impl<'s> Members<'s> {
    /// The member called `name` in state.
    fn get(self, name: &str) -> Option<Member<'s>> {
        let (attributes, blocks) = match self {
            Self::Block(block) => (block.attributes(), block.blocks()),
            Self::Attributes(attributes) => (attributes, &[][..]),
        };
        if let Some(attribute) = attributes.iter().find(|attribute| attribute.name() == name) {
            let field = attribute.field().unwrap_or(name).to_owned();
            return Some(match attribute.shape() {
                Shape::Nested(nested) => Member {
                    field,
                    model: nested.model(),
                    inside: Some(Self::Attributes(nested.attributes())),
                },
                Shape::Plain(_) => Member {
                    field,
                    model: None,
                    inside: None,
                },
            });
        }
        let block = blocks.iter().find(|block| block.name() == name)?;
        let field = block.field().unwrap_or(name).to_owned();
        Some(Member {
            field,
            model: block.model(),
            inside: Some(Self::Block(block.block())),
        })
    }
}

impl File {
    fn open(folders: &[PathBuf], name: &str) -> Option<Self> {
        let path = folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())?;
        let text = std::fs::read_to_string(&path).ok()?;
        let mut structs = Structs(Vec::new());
        if let Ok(file) = syn::parse_file(&text) {
            structs.visit_file(&file);
        }
        let shown = shown(&path)
            .or_else(|| (!Path::new(name).is_absolute()).then(|| with_slashes(Path::new(name))))?;
        Some(Self {
            shown,
            lines: text.lines().count(),
            structs: structs.0,
        })
    }

    /// Line and column of the field, or of the struct if it has none of that name.
    fn lookup(&self, name: &str, derived: usize, field: Option<&str>) -> Option<(usize, usize)> {
        let name = name.rsplit("::").next().unwrap_or(name);
        let mut called = self.structs.iter().filter(|found| found.name == name);
        let found = called
            .clone()
            .find(|found| found.lines.contains(&derived))
            .or_else(|| {
                // A source that was edited since.
                let only = called.next();
                only.filter(|_| called.next().is_none())
            })?;
        let at = field.and_then(|field| found.fields.iter().find(|(name, _)| name == field));
        Some(at.map_or(found.at, |(_, at)| *at))
    }
}

/// The path relative to the repository that it is in; nothing if it is in none.
pub(super) fn shown(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    let root = path
        .ancestors()
        .skip(1)
        .find(|folder| folder.join(".git").exists())?;
    path.strip_prefix(root).ok().map(with_slashes)
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Gathers the structs of a file, wherever in it they stand.
struct Structs(Vec<Struct>);

impl Visit<'_> for Structs {
    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        use syn::spanned::Spanned as _;
        let start = |span: proc_macro2::Span| (span.start().line, span.start().column + 1);
        let fields = item.fields.iter().filter_map(|field| {
            let ident = field.ident.as_ref()?;
            Some((
                ident.to_string().trim_start_matches("r#").to_owned(),
                start(ident.span()),
            ))
        });
        // Spans of several tokens are joined only where the compiler is; so the first and the last
        // are asked.
        let first = item.attrs.first().map_or_else(
            || item.struct_token.span(),
            |attribute| attribute.pound_token.span(),
        );
        let last = match &item.fields {
            syn::Fields::Named(fields) => fields.brace_token.span.close(),
            syn::Fields::Unnamed(fields) => fields.paren_token.span.close(),
            syn::Fields::Unit => item.ident.span(),
        };
        self.0.push(Struct {
            name: item.ident.to_string(),
            lines: first.start().line..=last.end().line,
            at: start(item.ident.span()),
            fields: fields.collect(),
        });
        visit::visit_item_struct(self, item);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    #[derive(upstate::Resource)]
    #[resource(type_name = "touched_note")]
    struct Note {
        title: String,
    }

    #[test]
    fn positions_inside_of_values_are_not_part_of_a_name() {
        assert_eq!(
            ["sizes[*][0]", "labels[key]", "rules[*]", "name"].map(bare),
            ["sizes", "labels", "rules", "name"]
        );
    }

    #[test]
    fn sources_below_a_new_lock_are_compiled_again() {
        let registry = Registry::new().with::<Note>();
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join(file!());
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, "").unwrap();
        let old = || {
            fs::File::options()
                .append(true)
                .open(&source)
                .unwrap()
                .set_modified(SystemTime::UNIX_EPOCH)
                .unwrap();
        };
        let is_old =
            || fs::metadata(&source).unwrap().modified().unwrap() == SystemTime::UNIX_EPOCH;
        let sources = Sources::new(&registry, folder.path());
        old();
        sources.touch(&folder.path().join("elsewhere"));
        assert!(is_old());
        sources.touch(folder.path());
        assert!(!is_old());
    }
}
