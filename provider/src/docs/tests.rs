//! The pages of a small provider of every kind.

use std::collections::BTreeMap;

use upstate::{Diagnostics, Object, Resource, StringEnum};

use crate::{Action, Context, DataSource, Function, IdentifiedResource, Progress, Provider};

/// Keeps boats.
#[derive(Object)]
struct Config {
    /// The endpoint of the boats.
    #[attribute(default = "here")]
    place: Option<String>,
}

/// A boat.
///
/// It floats.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "acme_boat", version = 0, identity = BoatIdentity, at_most_sum_of(oars, masts, engine.part.seats))]
#[resource(conflicts_with(crew, sailors), required_with(crew, engine), exactly_one_of(engine.power, engine.part))]
struct Boat {
    /// Given by
    /// the harbor.
    #[attribute(computed)]
    id: String,
    #[attribute(length = 1..=20, pattern = "^[A-Z]", pattern_message = "must begin with a capital letter.", none_of("Titanic", "Vasa"))]
    name: String,
    /// The drive.
    drive: Option<Drive>,
    #[attribute(computed)]
    state: Vec<Drive>,
    /// The freight.
    #[attribute(length = ..=3, each(length = 2.., one_of("oil", "iron")), keys(pattern = "^[a-z`]+$", bytes = ..=1), validate = light)]
    cargo: Option<BTreeMap<String, String>>,
    /// The function that opens it.
    #[attribute(write_only, sensitive)]
    key: Option<String>,
    /// The crew.
    crew: Option<Vec<Sailor>>,
    #[attribute(deprecated("They have names now.", replaced_by = "crew", remove_in = "2.0.0"))]
    sailors: Option<Vec<String>>,
    #[attribute(default = 2)]
    masts: Option<i64>,
    #[attribute(default = 4, range = 2..)]
    oars: i64,
    #[block(min = 1, max = 2)]
    engine: Vec<Engine>,
}

#[derive(Debug, Clone, Object)]
struct Sailor {
    /// Their names.
    name: String,
}

#[derive(Debug, Clone, Object)]
struct Engine {
    power: Option<BTreeMap<String, f64>>,
    #[block]
    part: Option<Part>,
}

#[derive(Debug, Clone, Object)]
struct Part {
    #[attribute(computed)]
    number: i64,
    #[attribute(range = ..=9, none_of(7))]
    seats: Option<i64>,
}

/// The ways to move.
#[derive(Debug, Clone, Copy, StringEnum)]
enum Drive {
    Sail,
    Steam,
}

#[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
fn light(_: &BTreeMap<String, String>) -> Result<(), String> {
    Ok(())
}

#[derive(Debug, Resource)]
#[resource(type_name = "acme_boat_identity", version = 0)]
struct BoatIdentity {
    /// Painted at the stern.
    name: String,
}

echo! { Boat: (); const IMPORT_ID: Option<&'static str> = Some("name"); }

impl IdentifiedResource for Boat {
    type Identity = BoatIdentity;

    fn identity(&self) -> BoatIdentity {
        BoatIdentity {
            name: self.name.clone(),
        }
    }
}

impl DataSource for Boat {
    type Client = ();

    async fn read(config: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(config)
    }
}

/// Sounds the horn.
#[derive(Debug, Resource)]
#[resource(type_name = "acme_horn", deprecated = "Use a bell.")]
struct Horn {
    #[attribute(default = 1)]
    times: Option<i64>,
}

impl Action for Horn {
    type Client = ();

    async fn invoke(_: Self, _: &Progress, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// Joins words.
#[derive(Debug, Resource)]
struct Join {
    /// The text between them.
    between: Option<String>,
    /// The form of the letters.
    letters: Letters,
    words: Vec<String>,
}

#[derive(Debug, StringEnum)]
enum Letters {
    Small,
    Capital,
}

impl Function for Join {
    const PARAMETERS: &'static [&'static str] = &["between", "letters", "words"];
    const VARIADIC: bool = true;
    type Output = String;

    fn call(self) -> Result<String, Diagnostics> {
        Ok(self.words.join(&self.between.unwrap_or_default()))
    }
}

fn provider() -> Provider<()> {
    Provider::new("example.com/test/acme", async |_: Config| Ok(()))
        .with_identified::<Boat>()
        .with_data_source::<Boat>()
        .with_action::<Horn>()
        .with_function::<Join>()
        .subcategory("At \"Sea\"", [Boat::TYPE_NAME])
        .subcategory("On Land", ["join"])
}

#[test]
fn a_subcategory_is_of_what_is_served() {
    let docs = provider()
        .subcategory("Nowhere", ["acme_boot"])
        .docs(std::path::Path::new("examples"));
    assert_eq!(
        docs.unwrap_err().to_string(),
        "\"acme_boot\" is in the subcategory \"Nowhere\", and is not served"
    );
}

#[test]
fn each_kind_has_its_page_and_nothing_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("provider/provider.tf", "provider \"acme\" {}\n"),
        (
            "resources/acme_boat/resource.tf",
            "resource \"acme_boat\" \"ada\" {\n}\n",
        ),
        (
            "resources/acme_boat/resource_two.tf",
            "resource \"acme_boat\" \"two\" {\n}\n",
        ),
        ("resources/acme_boat/note.tf", "# It is on no page.\n"),
        (
            "resources/acme_boat/import.sh",
            "terraform import acme_boat.ada Ada\n",
        ),
    ] {
        write(folder.path(), path, text);
    }
    let docs = provider().docs(folder.path()).unwrap();
    let pages: BTreeMap<&str, &str> = docs.pages().collect();
    let names: Vec<&str> = pages.keys().copied().collect();
    assert_eq!(
        names,
        [
            "actions/horn.md",
            "data-sources/boat.md",
            "functions/join.md",
            "index.md",
            "resources/boat.md"
        ]
    );
    let mut all = String::new();
    for (path, text) in docs.pages() {
        all.extend(["==== ", path, "\n", text]);
    }
    let recorded = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/docs/pages.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&recorded, &all).unwrap();
    }
    assert_eq!(
        all,
        std::fs::read_to_string(recorded).unwrap(),
        "UPDATE=1 records what is written now"
    );
}

fn write(folder: &std::path::Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn imports_are_shown_by_files_and_otherwise_by_placeholders() {
    let folder = tempfile::tempdir().unwrap();
    let page = || {
        let docs = provider().docs(folder.path()).unwrap();
        docs.pages()
            .find(|(path, _)| *path == "resources/boat.md")
            .unwrap()
            .1
            .split_once("## Import")
            .unwrap()
            .1
            .to_owned()
    };
    let placeholders = page();
    assert!(
        placeholders.contains("  identity = {\n    name = <string>\n"),
        "{placeholders}"
    );
    assert!(
        placeholders.contains("import {\n  to = acme_boat.example\n  id = \"<name>\"\n}"),
        "{placeholders}"
    );
    assert!(
        placeholders.contains("\nterraform import acme_boat.example <name>\n"),
        "{placeholders}"
    );
    write(
        folder.path(),
        "resources/acme_boat/import-by-string-id.tf",
        "import {\n  to = acme_boat.ada\n  id = \"Ada\"\n}\n",
    );
    write(
        folder.path(),
        "resources/acme_boat/import-by-identity.tf",
        "import {\n  to = acme_boat.ada\n  identity = { name = \"Ada\" }\n}\n",
    );
    write(
        folder.path(),
        "resources/acme_boat/import.sh",
        "terraform import acme_boat.ada Ada\n",
    );
    let files = page();
    assert!(
        !files.contains("acme_boat.example") && !files.contains("<string>"),
        "{files}"
    );
    assert!(
        files.contains(
            "with the `id` attribute, for example:\n\n```terraform\nimport {\n  to = acme_boat.ada\n  id = \"Ada\"\n}\n```\n"
        ),
        "{files}"
    );
    assert!(files.contains("```terraform\nimport {\n  to = acme_boat.ada\n  identity = { name = \"Ada\" }\n}\n```\n"), "{files}");
}

#[test]
fn a_template_makes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let (docs, examples) = (folder.path().join("docs"), folder.path().join("examples"));
    write(
        &examples,
        "resources/acme_boat/resource.tf",
        "resource \"acme_boat\" \"ada\" {\n}\n",
    );
    let of_provider = "# {{ .ProviderShortName | upper }}\n{{- if .HasExample }}\n\n{{ tffile .ExampleFile }}\n{{- end }}";
    let of_boat = "# {{.Name}} ({{.Type}}) of {{ .ProviderName }} {{ .Subcategory }}\n\n{{ tffile .ExampleFile }}\n\n\
                   {{ .SchemaMarkdown | trimspace }}\n{{ if .HasImport }}Import{{ end }}";
    let of_functions = "{{ .Name }}: {{ .Type }}\n\n{{ .FunctionSignatureMarkdown }}\n\n{{ .FunctionArgumentsMarkdown }}\n\
                        {{ if .HasVariadic -}}\n{{ .FunctionVariadicArgumentMarkdown }}\n{{- end }}\n";
    for (path, text) in [
        ("templates/index.md.tmpl", of_provider),
        ("templates/resources/boat.md.tmpl", of_boat),
        ("templates/functions.md.tmpl", of_functions),
        ("templates/resources/boot.md.tmpl", ""),
    ] {
        write(folder.path(), path, text);
    }
    let pages = provider().docs(&examples).unwrap();
    let page = |path: &str| {
        pages
            .pages()
            .find(|(found, _)| *found == path)
            .unwrap()
            .1
            .to_owned()
    };
    assert_eq!(page("index.md"), "# ACME\n");
    let boat = page("resources/boat.md");
    let begin = "# acme_boat (Resource) of terraform-provider-acme At \"Sea\"\n\n\
                 ```terraform\nresource \"acme_boat\" \"ada\" {\n}\n```\n\n## Schema\n\n### Required\n";
    assert!(boat.starts_with(begin), "{boat}");
    assert!(
        boat.contains("### Nested Schema for `engine`") && !boat.contains("Import"),
        "{boat}"
    );
    let join = page("functions/join.md");
    assert!(
        join.starts_with("join: function\n\n```text\njoin(")
            && join.contains("```\n\n1. `between` (String"),
        "{join}"
    );
    assert!(
        join.lines()
            .last()
            .is_some_and(|last| last.starts_with("1. `words` (Variadic, ")),
        "{join}"
    );
    assert!(page("data-sources/boat.md").contains("\n# acme_boat (Data Source)\n"));
    pages.write(&docs).unwrap();
    let problems =
        ["the template resources/boot.md.tmpl is about something that the provider does not serve"];
    assert_eq!(pages.problems(&docs).unwrap(), problems);
    write(
        folder.path(),
        "templates/resources/boat.md.tmpl",
        "\n{{ .Title }}",
    );
    let problem = provider().docs(&examples).unwrap_err().to_string();
    assert!(
        problem
            .contains("boat.md.tmpl: line 2: `.Title` is not a field; there are `.Description`, "),
        "{problem}"
    );
}

#[test]
fn a_template_shows_each_example() {
    let folder = tempfile::tempdir().unwrap();
    let examples = folder.path().join("examples");
    for name in ["resource_of_oak.tf", "resource.tf", "note.tf"] {
        write(
            &examples,
            &format!("resources/acme_boat/{name}"),
            &format!("# {name}\n"),
        );
    }
    // That of `tfplugindocs` itself.
    let of_resources = "{{ if .HasExamples -}}\n## Example Usage\n\n\
                        {{- range .ExampleFiles }}\n\n{{ tffile . }}\n{{- end }}\n{{- end }}";
    write(folder.path(), "templates/resources.md.tmpl", of_resources);
    write(
        folder.path(),
        "templates/data-sources.md.tmpl",
        "{{ range .ExampleFiles }}{{ . }}{{ else }}none{{ end }}",
    );
    let pages = provider().docs(&examples).unwrap();
    let page = |path: &str| {
        pages
            .pages()
            .find(|(found, _)| *found == path)
            .unwrap()
            .1
            .to_owned()
    };
    assert_eq!(
        page("resources/boat.md"),
        "## Example Usage\n\n```terraform\n# resource.tf\n```\n\n```terraform\n# resource_of_oak.tf\n```\n"
    );
    assert_eq!(page("data-sources/boat.md"), "none\n");
}

/// Joins words with nothing between them.
#[derive(Debug, Resource)]
#[resource(deprecated = "Call join.")]
struct Glue {
    words: Vec<String>,
}

impl Function for Glue {
    const PARAMETERS: &'static [&'static str] = &["words"];
    type Output = String;

    fn call(self) -> Result<String, Diagnostics> {
        Ok(self.words.concat())
    }
}

#[test]
fn a_template_loses_no_deprecation() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "templates/actions.md.tmpl",
        "{{ .Name }}\n\n{{ .SchemaMarkdown }}",
    );
    write(
        folder.path(),
        "templates/functions.md.tmpl",
        "{{ .Name }}\n\n{{ .FunctionSignatureMarkdown }}",
    );
    let pages = provider()
        .with_function::<Glue>()
        .docs(&folder.path().join("examples"))
        .unwrap();
    for (path, expected) in [
        (
            "actions/horn.md",
            "acme_horn\n\n~> **Deprecated** Use a bell.\n\n## Schema\n",
        ),
        (
            "functions/glue.md",
            "glue\n\n~> **Deprecated** Call join.\n\n```text\nglue(",
        ),
        ("functions/join.md", "join\n\n```text\njoin("),
    ] {
        let (_, text) = pages.pages().find(|(found, _)| *found == path).unwrap();
        assert!(text.starts_with(expected), "{text}");
    }
}

/// A boat that has no identity.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "acme_raft", version = 0)]
struct Raft {
    name: String,
}

echo! { Raft: (); }

#[test]
fn an_example_by_identity_needs_one() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "resources/acme_raft/import-by-identity.tf",
        "",
    );
    let error = provider()
        .with::<Raft>()
        .docs(folder.path())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("import-by-identity.tf is there, and acme_raft has no identity"),
        "{error}"
    );
}

#[test]
fn what_is_written_is_fresh_and_other_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (docs, guide) = (
        provider().docs(folder.path()).unwrap(),
        folder.path().join("guides/start.md"),
    );
    std::fs::create_dir(folder.path().join("guides")).unwrap();
    std::fs::write(&guide, "Begin.").unwrap();
    assert_eq!(docs.stale(folder.path()).unwrap().len(), 5);
    docs.write(folder.path()).unwrap();
    assert_eq!(docs.stale(folder.path()).unwrap(), [""; 0]);
    std::fs::write(folder.path().join("index.md"), "changed").unwrap();
    assert_eq!(docs.stale(folder.path()).unwrap(), ["index.md"]);
    assert_eq!(std::fs::read_to_string(guide).unwrap(), "Begin.");
}

#[test]
fn the_command_takes_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    let done = provider().parts.run_docs(std::slice::from_ref(&path));
    assert_eq!(done, Ok(format!("Wrote 5 pages into {path}.")));
    let done = provider().parts.run_docs(&[path, "more".to_owned()]);
    assert_eq!(
        done,
        Err("`docs` takes one folder, found \"more\" too".to_owned())
    );
    let done = provider().parts.run_docs(&["--verify".to_owned()]);
    assert_eq!(
        done,
        Err("`docs` has the option --check, found \"--verify\"".to_owned())
    );
}

#[test]
fn the_command_checks_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs");
    let check = || {
        provider()
            .parts
            .run_docs(&["--check".to_owned(), docs.to_str().unwrap().to_owned()])
    };
    let lines = check().unwrap_err();
    assert_eq!(
        lines.lines().collect::<Vec<_>>(),
        [
            "actions/horn.md is missing",
            "data-sources/boat.md is missing",
            "functions/join.md is missing",
            "index.md is missing",
            "resources/boat.md is missing",
        ]
    );
    provider()
        .docs(folder.path())
        .unwrap()
        .write(&docs)
        .unwrap();
    write(
        &docs,
        "guides/start.md",
        "---\nsubcategory: \"\"\npage_title: \"Begin\"\n---\n\nBegin.\n",
    );
    write(&docs, "cdktf/python/index.md", "");
    assert_eq!(
        check(),
        Ok(format!("The 5 pages in {} are up to date.", docs.display()))
    );
}

#[test]
fn all_that_a_registry_would_stumble_over_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (docs, examples) = (folder.path().join("docs"), folder.path().join("examples"));
    provider().docs(&examples).unwrap().write(&docs).unwrap();
    write(&docs, "index.md", "changed");
    write(&docs, "resources/boot.md", "");
    write(&docs, "resources/boat.txt", "");
    write(&docs, "images/boat.md", "");
    write(&docs, "guides/start.md", "Begin.");
    write(&docs, "guides/sail.md", &"a".repeat(500_000));
    write(&examples, "resources/acme_boot/resource.tf", "");
    write(&examples, "resources/acme_boat/resource.tf", "");
    write(&examples, "functions/join/function.tf", "");
    write(folder.path(), "templates/guides/sail.md.tmpl", "");
    write(folder.path(), "templates/guides/moor.md.tmpl", "");
    write(folder.path(), "templates/guides/row.md", "");
    write(folder.path(), "templates/guides/.gitkeep", "");
    write(folder.path(), "website/docs/index.html.markdown", "");
    let expected = [
        "functions/join.md is out of date".to_owned(),
        "index.md is out of date".to_owned(),
        "resources/boat.md is out of date".to_owned(),
        "guides/sail.md has 500000 bytes, and a registry takes less than 500000".to_owned(),
        "guides/start.md does not begin with `---`, a `page_title:` and `---`".to_owned(),
        "images/boat.md is in the folder images, which a registry does not know".to_owned(),
        "resources/boat.txt does not end in .md, so that a registry does not show it".to_owned(),
        "resources/boot.md is about something that the provider does not serve".to_owned(),
        "the example resources/acme_boot is about something that the provider does not serve"
            .to_owned(),
        format!(
            "the template guides/moor.md.tmpl makes no page: write {}",
            docs.join("guides/moor.md").display()
        ),
        format!(
            "the template guides/row.md makes no page: write {}",
            docs.join("guides/row.md").display()
        ),
        format!(
            "{} is there too, and a registry takes one of both",
            folder.path().join("website/docs").display()
        ),
    ];
    assert_eq!(
        provider().docs(&examples).unwrap().problems(&docs).unwrap(),
        expected
    );
    // Nothing is of nothing, because a program beside this one may serve the rest.
    let found = provider()
        .beside("terraform-provider-acme-go")
        .docs(&examples)
        .unwrap()
        .problems(&docs)
        .unwrap();
    assert!(
        !found.iter().any(|problem| problem.contains("boot")),
        "{found:?}"
    );
}

#[test]
fn the_page_of_a_configuration_that_is_shared_needs_a_template() {
    let folder = tempfile::tempdir().unwrap();
    let (examples, templates) = (
        folder.path().join("examples"),
        folder.path().join("templates"),
    );
    let has_index = || {
        let provider = provider().beside("terraform-provider-acme-go");
        let docs = provider.docs(&examples).unwrap();
        docs.pages().any(|(path, _)| path == "index.md")
    };
    assert!(!has_index());
    let docs = folder.path().join("docs");
    let missing = || {
        let provider = provider().beside("terraform-provider-acme-go");
        let pages = provider.docs(&examples).unwrap();
        pages.write(&docs).unwrap();
        pages.problems(&docs).unwrap()
    };
    assert_eq!(
        missing(),
        [
            "index.md is missing: write it, or the template index.md.tmpl, with the configuration of both providers"
        ]
    );
    write(&docs, "index.md", "# Acme");
    assert_eq!(missing(), [""; 0]);
    std::fs::create_dir(&templates).unwrap();
    std::fs::write(templates.join("index.md.tmpl"), "# Acme").unwrap();
    assert!(has_index());
}

#[derive(Debug, Resource)]
#[resource(type_name = "acme_pontoon", version = 0)]
struct Pontoon {
    /// The planks.
    #[block(keys(pattern = "^[a-z]+$"))]
    plank: BTreeMap<String, Sailor>,
}

echo! { Pontoon: (); }

#[test]
fn a_page_shows_which_keys_blocks_may_have() {
    let folder = tempfile::tempdir().unwrap();
    let docs = provider().with::<Pontoon>().docs(folder.path()).unwrap();
    let page = docs
        .pages()
        .find(|(path, _)| *path == "resources/pontoon.md")
        .unwrap()
        .1;
    assert!(
        page.contains("- `plank` (Block Map) The planks. Each key must match the regular expression `^[a-z]+$`. (see "),
        "{page}"
    );
}
