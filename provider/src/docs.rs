//! The pages that a registry shows of a provider, in Markdown, in the folders and with the headings
//! that `tfplugindocs` gives them.

mod check;
mod page;
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use upstate::ResourceDefinition;
use upstate::schema::Schema;

use self::page::{IMPORT, IMPORT_BY_ID, IMPORT_BY_IDENTITY, Import, Kind, Page};
use crate::provider::{Parts, Provider};

/// The pages of a provider, by their paths below the folder `docs`.
///
/// They are made of the models: doc comments, types, and what is said about each field. Examples
/// are files beside the provider's code, below a folder `examples`:
///
/// | page | example |
/// |---|---|
/// | `index.md` | `provider/provider.tf` |
/// | `resources/boat.md` | `resources/acme_boat/resource.tf`, `…/import.sh`, `…/import-by-string-id.tf`, `…/import-by-identity.tf` |
/// | `data-sources/boat.md` | `data-sources/acme_boat/data-source.tf` |
/// | `ephemeral-resources/pass.md` | `ephemeral-resources/acme_pass/ephemeral-resource.tf` |
/// | `list-resources/boat.md` | `list-resources/acme_boat/list-resource.tfquery.hcl` |
/// | `actions/horn.md` | `actions/acme_horn/action.tf` |
/// | `functions/join.md` | `functions/join/function.tf` |
///
/// A page may have several examples: `resource.tf`, `resource_of_oak.tf`, in the order of their
/// names. A resource without a file for its import shows a placeholder, if it has an identity or an
/// `IMPORT_ID`.
///
/// A page may also be made by a template in the language of `tfplugindocs`:
/// `resources/boat.md.tmpl`, `resources.md.tmpl` for all resources without their own, or
/// `index.md.tmpl`, in a folder `templates` beside the one of the examples. It has fields,
/// functions, `if` and `range`, and a message lists them where it names another one; paths of files
/// begin in the folder that both are in. `range .ExampleFiles` goes through the examples of the
/// page, each of which `tffile .` shows. `.SchemaMarkdown`, and `.FunctionSignatureMarkdown` of a
/// function, begin with the notice of what is deprecated.
///
/// With a provider [beside](Provider::beside) this one, whose configuration is that of both,
/// `index.md` is made by its template alone.
///
/// The command `terraform-provider-acme docs` writes them into `docs`, with the examples of
/// `examples`. A test keeps them fresh:
///
/// ```
/// # use upstate::Object;
/// # use upstate_provider::Provider;
/// # #[derive(Object)]
/// # struct Config {}
/// # fn provider() -> Provider<()> { Provider::new("example.com/me/acme", async |_: Config| Ok(())) }
/// # let folder = tempfile::tempdir()?;
/// # let (examples, docs) = (folder.path().join("examples"), folder.path().join("docs"));
/// let pages = provider().docs(&examples)?;
/// # pages.write(&docs)?;
/// assert_eq!(pages.problems(&docs)?, [""; 0], "run `terraform-provider-acme docs`");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Docs {
    pages: BTreeMap<String, String>,
    /// Folders of examples, and templates, that belong to nothing.
    of_nothing: Vec<String>,
    /// Templates of guides.
    guides: Vec<String>,
    /// True if no other provider serves types beside this one.
    is_whole: bool,
}

impl Docs {
    /// The pages: their paths, with `/` between folders, and their contents.
    pub fn pages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pages
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Writes the pages into a folder. Other files there stay: guides, for one.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        for (path, text) in &self.pages {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// The paths of pages that are not there in a folder, or are not as they would be written now.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn stale(&self, folder: &Path) -> io::Result<Vec<&str>> {
        let mut stale = Vec::new();
        for (path, text) in &self.pages {
            if read(&folder.join(path))?.is_none_or(|there| there != *text) {
                stale.push(path.as_str());
            }
        }
        Ok(stale)
    }
}

pub(crate) const USAGE: &str = "`docs [FOLDER]` writes the pages that a registry shows, with the examples of the folder `examples`; with `--check` \
                                it reports mistakes in those that are there";

/// A file; nothing if it is not there.
fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("{}: {error}", path.display()),
        )),
    }
}

/// The files of a folder whose names begin and end as `file` does, in the order of their names:
/// these, and their contents.
fn read_all(folder: &Path, file: &str) -> io::Result<Vec<(String, String)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(io::Error::new(
                error.kind(),
                format!("{}: {error}", folder.display()),
            ));
        }
    };
    let (begin, end) = file.split_once('.').unwrap_or((file, ""));
    let names = entries
        .into_iter()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| {
            name.strip_prefix(begin)
                .is_some_and(|rest| rest.ends_with(&format!(".{end}")))
        })
        .collect();
    // Without their ends, because `_` sorts after `.`.
    names.sort_by_key(|name| {
        name.strip_suffix(&format!(".{end}"))
            .unwrap_or(name)
            .to_owned()
    });
    let mut found = Vec::new();
    for name in names {
        if let Some(text) = read(&folder.join(&name))? {
            found.push((name, text));
        }
    }
    Ok(found)
}

/// The folder of the templates, beside that of the examples.
const TEMPLATES: &str = "templates";

/// The folder of the pages that authors write themselves.
const GUIDES: &str = "guides";

/// The template of a page, or else of all pages of its kind: its path, and its text.
fn template_of(page: &str, kind: Kind, root: &Path) -> io::Result<Option<(PathBuf, String)>> {
    let of_kind = (kind != Kind::Provider).then(|| format!("{}.md.tmpl", kind.folder()));
    for file in [Some(format!("{page}.tmpl")), of_kind]
        .into_iter()
        .flatten()
    {
        let file = root.join(TEMPLATES).join(file);
        if let Some(text) = read(&file)? {
            return Ok(Some((file, text)));
        }
    }
    Ok(None)
}

/// The path of a file below a folder, with `/` between names.
fn below(root: &Path, file: &Path) -> String {
    let names = file.strip_prefix(root).unwrap_or(file).components();
    names
        .map(|name| name.as_os_str().to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join("/")
}

/// The files in a folder of the templates; none if it is not there.
fn templates_in(root: &Path, folder: &str) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(root.join(TEMPLATES).join(folder)) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let mut names: Vec<String> = entries
        .iter()
        .map(|entry| format!("{folder}/{}", entry.file_name().to_string_lossy()))
        .collect();
    names.sort();
    Ok(names)
}

/// The templates of pages that the provider does not have.
fn templates_of_nothing(root: &Path, pages: &BTreeMap<String, String>) -> io::Result<Vec<String>> {
    let mut of_nothing = Vec::new();
    for kind in Kind::ALL {
        let names = templates_in(root, kind.folder())?.into_iter();
        of_nothing.extend(names.filter(|name| {
            name.strip_suffix(".tmpl")
                .is_some_and(|page| !pages.contains_key(page))
        }));
    }
    of_nothing.sort();
    Ok(of_nothing
        .into_iter()
        .map(|name| format!("template {name}"))
        .collect())
}

impl<C> Provider<C> {
    /// The pages that a registry shows of the provider, with examples from a folder, where there
    /// are any.
    ///
    /// # Errors
    /// An example is there and cannot be read, a template has a mistake, or
    /// [`subcategory`](Self::subcategory) names what the provider does not serve.
    pub fn docs(&self, examples: &Path) -> io::Result<Docs> {
        self.parts.docs(examples)
    }
}

impl Parts {
    pub(crate) fn docs(&self, examples: &Path) -> io::Result<Docs> {
        let provider = self.address.rsplit('/').next().unwrap_or_default();
        let (mut pages, mut served) = (BTreeMap::new(), BTreeSet::new());
        let root = examples.parent().unwrap_or(Path::new(""));
        let mut add = |kind: Kind, name: &str, write: &dyn Fn(&mut Page)| {
            let short = name
                .strip_prefix(provider)
                .and_then(|rest| rest.strip_prefix('_'))
                .unwrap_or(name);
            let folder = if kind == Kind::Provider {
                examples.join("provider")
            } else {
                examples.join(kind.folder()).join(name)
            };
            let subcategory = self.subcategories.get(name).map_or("", String::as_str);
            let mut page = Page::new(provider, name, kind, subcategory);
            page.examples = read_all(&folder, kind.example())?;
            if kind == Kind::Resource {
                let [command, by_id, by_identity] =
                    [IMPORT, IMPORT_BY_ID, IMPORT_BY_IDENTITY].map(|file| read(&folder.join(file)));
                page.import = Import {
                    command: command?,
                    by_id: by_id?,
                    by_identity: by_identity?,
                };
            }
            write(&mut page);
            let path = if kind == Kind::Provider {
                "index.md".to_owned()
            } else {
                format!("{}/{short}.md", kind.folder())
            };
            let text = match template_of(&path, kind, root)? {
                Some((file, template)) => {
                    let there = |name: &str| {
                        folder
                            .join(name)
                            .is_file()
                            .then(|| below(root, &folder.join(name)))
                    };
                    template::render(&template, &page.fields(&there), root).map_err(|problem| {
                        io::Error::other(format!("{}: {problem}", file.display()))
                    })?
                }
                None => page.finish(),
            };
            pages.insert(path, text);
            if kind != Kind::Provider {
                served.insert(name.to_owned());
            }
            Ok::<(), io::Error>(())
        };
        let of = |schema: &'static Schema| move |page: &mut Page| page.schema(schema);
        let is_shared = self.beside.is_some();
        // Users write the attributes of both providers, and the page would lack those of the other.
        if !is_shared || template_of("index.md", Kind::Provider, root)?.is_some() {
            add(Kind::Provider, provider, &of(self.config_schema))?;
        }
        for (name, resource) in &self.resources {
            let identity = resource.identity().map(ResourceDefinition::schema);
            add(Kind::Resource, name, &|page| {
                page.schema(resource.definition().schema());
                page.imports(resource.import_id(), identity);
            })?;
            let by_identity = examples
                .join(Kind::Resource.folder())
                .join(name)
                .join(IMPORT_BY_IDENTITY);
            if identity.is_none() && by_identity.exists() {
                return Err(io::Error::other(format!(
                    "{} is there, and {name} has no identity",
                    by_identity.display()
                )));
            }
        }
        for (name, source) in &self.data_sources {
            add(Kind::DataSource, name, &of(source.schema()))?;
        }
        for (name, ephemeral) in &self.ephemeral_resources {
            add(Kind::Ephemeral, name, &of(ephemeral.schema()))?;
        }
        for (name, list) in &self.list_resources {
            add(Kind::List, name, &of(list.schema()))?;
        }
        for (name, action) in &self.actions {
            add(Kind::Action, name, &of(action.schema()))?;
        }
        for (name, function) in &self.functions {
            add(Kind::Function, name, &|page| page.function(function))?;
        }
        if let Some((name, heading)) = self
            .subcategories
            .iter()
            .find(|(name, _)| !served.contains(*name))
        {
            return Err(io::Error::other(format!(
                "{name:?} is in the subcategory {heading:?}, and is not served"
            )));
        }
        let (mut of_nothing, mut guides) = (self.examples_of_nothing(examples)?, Vec::new());
        if self.beside.is_none() {
            of_nothing.extend(templates_of_nothing(root, &pages)?);
            guides = templates_in(root, GUIDES)?;
        }
        Ok(Docs {
            pages,
            of_nothing,
            guides,
            is_whole: self.beside.is_none(),
        })
    }

    /// The folders of examples that no page shows, because the provider serves nothing of their
    /// names.
    fn examples_of_nothing(&self, examples: &Path) -> io::Result<Vec<String>> {
        let mut of_nothing = Vec::new();
        for kind in Kind::ALL.into_iter().filter(|_| self.beside.is_none()) {
            let entries = match fs::read_dir(examples.join(kind.folder())) {
                Ok(entries) => entries.collect::<io::Result<Vec<_>>>()?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_served = match kind {
                    Kind::Provider => true,
                    Kind::Resource => self.resources.contains_key(&*name),
                    Kind::DataSource => self.data_sources.contains_key(&*name),
                    Kind::Ephemeral => self.ephemeral_resources.contains_key(&*name),
                    Kind::List => self.list_resources.contains_key(&*name),
                    Kind::Action => self.actions.contains_key(&*name),
                    Kind::Function => self.functions.contains_key(&*name),
                };
                if !is_served && entry.file_type()?.is_dir() {
                    of_nothing.push(format!("example {}/{name}", kind.folder()));
                }
            }
        }
        of_nothing.sort();
        Ok(of_nothing)
    }

    /// Writes the pages into `docs`, or into the folder that is named, with the examples of
    /// `examples`, or checks those that are there; says what it did.
    pub(crate) fn run_docs(&self, arguments: &[String]) -> Result<String, String> {
        let (options, folders): (Vec<&String>, Vec<&String>) = arguments
            .iter()
            .partition(|argument| argument.starts_with('-'));
        let folder = match folders.as_slice() {
            [] => PathBuf::from("docs"),
            [folder] => PathBuf::from(folder),
            [_, unexpected, ..] => {
                return Err(format!("`docs` takes one folder, found {unexpected:?} too"));
            }
        };
        if let Some(unknown) = options.iter().find(|option| **option != "--check") {
            return Err(format!("`docs` has the option --check, found {unknown:?}"));
        }
        let docs = self
            .docs(Path::new("examples"))
            .map_err(|error| format!("the pages can't be made: {error}"))?;
        if options.is_empty() {
            docs.write(&folder).map_err(|error| {
                format!(
                    "the pages can't be written into {}: {error}",
                    folder.display()
                )
            })?;
            return Ok(format!(
                "Wrote {} pages into {}.",
                docs.pages.len(),
                folder.display()
            ));
        }
        let problems = docs
            .problems(&folder)
            .map_err(|error| format!("the pages in {} can't be read: {error}", folder.display()))?;
        if problems.is_empty() {
            Ok(format!(
                "The {} pages in {} are up to date.",
                docs.pages.len(),
                folder.display()
            ))
        } else {
            Err(problems.join("\n"))
        }
    }
}

#[cfg(test)]
mod tests;
