//! One page.

use std::fmt::Write as _;

use upstate::schema::{
    Attribute, Block, Check, GroupKind, NestedBlock, Nesting, Presence, Schema, Shape, Taken, Type,
};

use super::template::{Fields, Value};
use crate::function::AnyFunction;
use crate::plan::{deprecation_text, listed, must};

/// The subject of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Provider,
    Resource,
    DataSource,
    Ephemeral,
    List,
    Action,
    Function,
}

impl Kind {
    /// All that have a folder.
    pub(super) const ALL: [Self; 6] = [
        Self::Resource,
        Self::DataSource,
        Self::Ephemeral,
        Self::List,
        Self::Action,
        Self::Function,
    ];

    /// The folder of its pages, and of its examples.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Provider => "",
            Self::Resource => "resources",
            Self::DataSource => "data-sources",
            Self::Ephemeral => "ephemeral-resources",
            Self::List => "list-resources",
            Self::Action => "actions",
            Self::Function => "functions",
        }
    }

    /// The file of an example.
    pub(super) fn example(self) -> &'static str {
        match self {
            Self::Provider => "provider.tf",
            Self::Resource => "resource.tf",
            Self::DataSource => "data-source.tf",
            Self::Ephemeral => "ephemeral-resource.tf",
            Self::List => "list-resource.tfquery.hcl",
            Self::Action => "action.tf",
            Self::Function => "function.tf",
        }
    }

    /// In headings.
    fn title(self) -> &'static str {
        match self {
            Self::Provider => "Provider",
            Self::Resource => "Resource",
            Self::DataSource => "Data Source",
            Self::Ephemeral => "Ephemeral Resource",
            Self::List => "List Resource",
            Self::Action => "Action",
            Self::Function => "Function",
        }
    }
}

/// The file with a line for a shell that imports.
pub(super) const IMPORT: &str = "import.sh";

/// The file with a block that imports by an ID.
pub(super) const IMPORT_BY_ID: &str = "import-by-string-id.tf";

/// The file with a block that imports by an identity.
pub(super) const IMPORT_BY_IDENTITY: &str = "import-by-identity.tf";

/// The examples of how a resource is imported, where there are any.
#[derive(Default)]
pub(super) struct Import {
    /// A line for a shell.
    pub(super) command: Option<String>,
    /// A block with an ID.
    pub(super) by_id: Option<String>,
    /// A block with an identity.
    pub(super) by_identity: Option<String>,
}

/// A page in the making.
pub(super) struct Page<'p> {
    provider: &'p str,
    name: &'p str,
    kind: Kind,
    subcategory: &'p str,
    /// The names of the files, and their contents.
    pub(super) examples: Vec<(String, String)>,
    pub(super) import: Import,
    description: String,
    deprecated: Option<String>,
    /// The part after the example.
    body: String,
    /// The section about imports.
    imports: String,
    /// The part of that about the identity.
    identity: String,
    /// The signature of a function, its arguments, and the last of them if it takes any number.
    signature: String,
    arguments: String,
    variadic: String,
}

impl<'p> Page<'p> {
    pub(super) fn new(provider: &'p str, name: &'p str, kind: Kind, subcategory: &'p str) -> Self {
        let (examples, import) = (Vec::new(), Import::default());
        Self {
            provider,
            name,
            kind,
            subcategory,
            examples,
            import,
            description: String::new(),
            deprecated: None,
            body: String::new(),
            imports: String::new(),
            identity: String::new(),
            signature: String::new(),
            arguments: String::new(),
            variadic: String::new(),
        }
    }

    fn describe(&mut self, schema: &Schema) {
        schema.description().clone_into(&mut self.description);
        self.deprecated = schema
            .deprecated()
            .map(|message| deprecation_text(message, schema.block().facts()));
    }

    pub(super) fn schema(&mut self, schema: &Schema) {
        self.describe(schema);
        self.body += "## Schema\n";
        let (constraints, mut nested) = (schema.constraints(), Vec::new());
        self.members(
            &Part::of_block(schema.block(), "", &constraints),
            Heading::Section,
            &mut nested,
        );
        // The list grows while it is read, so it is read by index: the parts inside a part are put
        // right behind it.
        let mut at = 0;
        while at < nested.len() {
            let Some(part) = nested.get(at).cloned() else {
                break;
            };
            let _ = write!(
                self.body,
                "\n<a id=\"{}\"></a>\n### Nested Schema for `{}`\n",
                part.anchor(),
                part.path
            );
            let mut inner = Vec::new();
            self.members(&part, Heading::Label, &mut inner);
            let after = at + 1;
            nested.splice(after..after, inner);
            at = after;
        }
    }

    fn members<'s>(&mut self, part: &Part<'s>, heading: Heading, nested: &mut Vec<Part<'s>>) {
        let settings_only = matches!(self.kind, Kind::Provider | Kind::List | Kind::Action);
        for group in [Group::Required, Group::Optional, Group::ReadOnly] {
            let attributes = part
                .attributes
                .iter()
                .filter(|attribute| Group::of(attribute, settings_only) == group);
            let blocks = part
                .blocks
                .iter()
                .filter(|block| Group::of_block(block) == group);
            let mut lines: Vec<(&str, String)> = Vec::new();
            for attribute in attributes {
                lines.push((attribute.name(), part.attribute(attribute, group, nested)));
            }
            for block in blocks {
                lines.push((block.name(), part.block(block, nested)));
            }
            if lines.is_empty() {
                continue;
            }
            lines.sort_by_key(|(name, _)| *name);
            match heading {
                Heading::Section => drop(write!(self.body, "\n### {}\n\n", group.title())),
                Heading::Label => drop(write!(self.body, "\n{}:\n\n", group.title())),
            }
            for (_, line) in lines {
                self.body += &line;
            }
        }
    }

    pub(super) fn imports(&mut self, id: Option<&str>, identity: Option<&Schema>) {
        let (name, import) = (self.name, std::mem::take(&mut self.import));
        let by_identity = identity.map(|identity| {
            (
                identity,
                import
                    .by_identity
                    .unwrap_or_else(|| identity_block(name, identity)),
            )
        });
        let by_id = import.by_id.or_else(|| {
            id.map(|id| format!("import {{\n  to = {name}.example\n  id = \"<{id}>\"\n}}\n"))
        });
        let command = import
            .command
            .or_else(|| id.map(|id| format!("terraform import {name}.example <{id}>\n")));
        if by_identity.is_none() && by_id.is_none() && command.is_none() {
            return;
        }
        self.imports += "\n## Import\n\nImport is supported using the following syntax:\n";
        if let Some((identity, example)) = by_identity {
            self.import_example("1.12.0", "identity", &example);
            self.identity += "<!-- schema of the identity -->\n### Identity Schema\n";
            let part = Part::of_block(identity.block(), "", &[]);
            for group in [Group::Required, Group::Optional] {
                let those = identity
                    .block()
                    .attributes()
                    .iter()
                    .filter(|it| Group::of(it, true) == group);
                let lines: String = those
                    .map(|it| part.attribute(it, group, &mut Vec::new()))
                    .collect();
                if !lines.is_empty() {
                    let _ = write!(self.identity, "\n#### {}\n\n{lines}", group.title());
                }
            }
            self.imports.extend(["\n", &*self.identity]);
        }
        if let Some(example) = by_id {
            self.import_example("1.5.0", "id", &example);
        }
        if let Some(command) = command {
            let _ = write!(
                self.imports,
                "\nThe [`terraform import` command](https://developer.hashicorp.com/terraform/cli/commands/import) can be used, for example:\n\n```shell\n{}\n```\n",
                command.trim_end()
            );
        }
    }

    /// A block that imports, which Terraform has since a version.
    fn import_example(&mut self, since: &str, argument: &str, example: &str) {
        let _ = write!(
            self.imports,
            "\nIn Terraform v{since} and later, the [`import` block](https://developer.hashicorp.com/terraform/language/import) can be used with the \
             `{argument}` attribute, for example:\n\n```terraform\n{}\n```\n",
            example.trim_end()
        );
    }

    pub(super) fn function(&mut self, function: &AnyFunction) {
        let schema = (function.arguments)();
        self.describe(schema);
        let types: Vec<Type> = (0..function.parameters.len())
            .filter_map(|at| function.argument_type(at))
            .collect();
        let taken: Vec<String> = function
            .parameters
            .iter()
            .zip(&types)
            .enumerate()
            .map(|(at, (name, ty))| {
                let more = if at >= function.fixed() { "..." } else { "" };
                format!("{name} {}{more}", type_name(ty))
            })
            .collect();
        let name = self.name;
        self.signature = format!(
            "```text\n{name}({}) {}\n```\n",
            taken.join(", "),
            type_name(&(function.output)())
        );
        self.body.extend(["## Signature\n\n", &*self.signature]);
        if function.parameters.is_empty() {
            return;
        }
        for (at, (name, ty)) in function.parameters.iter().zip(&types).enumerate() {
            let attribute = schema
                .block()
                .attributes()
                .iter()
                .find(|attribute| attribute.name() == *name);
            let description = attribute.map(Attribute::description).unwrap_or_default();
            let variadic = if at >= function.fixed() {
                "Variadic, "
            } else {
                ""
            };
            let nullable = if function.takes_null(at) {
                ", Nullable"
            } else {
                ""
            };
            let values = attribute
                .map(|it| values(it, Group::Required).join(" "))
                .unwrap_or_default();
            let text = format!(
                "1. `{name}` ({variadic}{}{nullable}) {} {values}",
                type_word(ty),
                one_line(description)
            );
            let text = one_line(&text);
            let list = if at >= function.fixed() {
                &mut self.variadic
            } else {
                &mut self.arguments
            };
            let _ = writeln!(list, "{text}");
        }
        self.body
            .extend(["\n## Arguments\n\n", &*self.arguments, &*self.variadic]);
    }

    /// The fields that a template of the page can name. A function finds the path of a file of
    /// examples, if that is there.
    pub(super) fn fields(&self, file: &dyn Fn(&str) -> Option<String>) -> Fields {
        let text = |text: &str| Value::Text(text.trim().to_owned());
        let kind = if self.kind == Kind::Function {
            "function"
        } else {
            self.kind.title()
        };
        let program = format!("terraform-provider-{}", self.provider);
        let summary = self.description.split("\n\n").next().unwrap_or_default();
        // Before what each template has, because no field of `tfplugindocs` is for it.
        let notice = self.notice();
        let signature = if self.signature.is_empty() {
            String::new()
        } else {
            format!("{notice}{}", self.signature)
        };
        let mut fields = Fields::from([
            ("Name", text(self.name)),
            ("Type", text(kind)),
            ("ProviderName", text(&program)),
            ("ProviderShortName", text(self.provider)),
            ("RenderedProviderName", text(&program)),
            ("Subcategory", text(self.subcategory)),
            ("Description", text(&self.description)),
            ("Summary", text(summary)),
            ("SchemaMarkdown", text(&format!("{notice}{}", self.body))),
            ("IdentitySchemaMarkdown", text(&self.identity)),
            ("FunctionSignatureMarkdown", text(&signature)),
            ("FunctionArgumentsMarkdown", text(&self.arguments)),
            ("HasVariadic", Value::Bool(!self.variadic.is_empty())),
            ("FunctionVariadicArgumentMarkdown", text(&self.variadic)),
        ]);
        for (is_there, path, name) in [
            ("HasExample", "ExampleFile", self.kind.example()),
            ("HasImport", "ImportFile", IMPORT),
            ("HasImportIDConfig", "ImportIDConfigFile", IMPORT_BY_ID),
            (
                "HasImportIdentityConfig",
                "ImportIdentityConfigFile",
                IMPORT_BY_IDENTITY,
            ),
        ] {
            let found = file(name);
            fields.insert(is_there, Value::Bool(found.is_some()));
            fields.insert(path, Value::Text(found.unwrap_or_default()));
        }
        let examples: Vec<String> = self
            .examples
            .iter()
            .filter_map(|(name, _)| file(name))
            .collect();
        fields.insert("HasExamples", Value::Bool(!examples.is_empty()));
        fields.insert("ExampleFiles", Value::List(examples));
        fields
    }

    /// The paragraph about what is deprecated; nothing if it is not.
    fn notice(&self) -> String {
        self.deprecated
            .as_ref()
            .map(|deprecated| format!("~> **Deprecated** {deprecated}\n\n"))
            .unwrap_or_default()
    }

    pub(super) fn finish(self) -> String {
        let notice = self.notice();
        let Self {
            provider,
            name,
            kind,
            subcategory,
            examples,
            description,
            body,
            imports,
            ..
        } = self;
        let (page_title, heading) = match kind {
            Kind::Provider => (
                format!("{provider} Provider"),
                format!("{provider} Provider"),
            ),
            Kind::Function => (
                format!("{name} function - terraform-provider-{provider}"),
                format!("function: {name}"),
            ),
            kind => (
                format!("{name} {} - terraform-provider-{provider}", kind.title()),
                format!("{name} ({})", kind.title()),
            ),
        };
        let mut text = format!("---\npage_title: \"{page_title}\"\n");
        if kind != Kind::Provider {
            // Written as JSON, because a string of JSON is one of YAML.
            let _ = writeln!(
                text,
                "subcategory: {}",
                serde_json::Value::from(subcategory)
            );
        }
        text += "description: |-\n";
        let first = description
            .split("\n\n")
            .next()
            .filter(|first| !first.is_empty())
            .unwrap_or(&heading);
        let _ = write!(text, "  {}\n---\n\n# {heading}\n\n", one_line(first));
        if !description.is_empty() {
            let _ = write!(text, "{}\n\n", description.trim());
        }
        text += &notice;
        if !examples.is_empty() {
            text += "## Example Usage\n\n";
        }
        for (_, example) in examples {
            let _ = write!(text, "```terraform\n{}\n```\n\n", example.trim_end());
        }
        text + body.trim_start() + &imports
    }
}

/// A block that imports by an identity, with a placeholder for each attribute.
fn identity_block(name: &str, identity: &Schema) -> String {
    let attributes = identity
        .block()
        .attributes()
        .iter()
        .filter(|it| it.presence() == Presence::Required);
    let mut lines = String::new();
    for attribute in attributes {
        let _ = writeln!(
            lines,
            "    {} = <{}>",
            attribute.name(),
            type_name(&attribute.implied_type())
        );
    }
    format!("import {{\n  to = {name}.example\n  identity = {{\n{lines}  }}\n}}\n")
}

/// The heading of a group of members.
#[derive(Debug, Clone, Copy)]
enum Heading {
    Section,
    Label,
}

/// The writer of a member: user, provider or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Required,
    Optional,
    ReadOnly,
}

impl Group {
    fn title(self) -> &'static str {
        match self {
            Self::Required => "Required",
            Self::Optional => "Optional",
            Self::ReadOnly => "Read-Only",
        }
    }

    /// In what is nothing but a configuration, an attribute with a default is optional like any
    /// other.
    fn of(attribute: &Attribute, settings_only: bool) -> Self {
        match attribute.presence() {
            Presence::Required => Self::Required,
            Presence::Optional | Presence::OptionalComputed => Self::Optional,
            Presence::Computed if settings_only || attribute.has_default() => Self::Optional,
            Presence::Computed => Self::ReadOnly,
        }
    }

    fn of_block(block: &NestedBlock) -> Self {
        if block.min_items() > 0 {
            Self::Required
        } else {
            Self::Optional
        }
    }
}

/// The members of one schema, or of something nested in it.
#[derive(Clone)]
struct Part<'s> {
    path: String,
    is_block: bool,
    attributes: &'s [Attribute],
    blocks: &'s [NestedBlock],
    constraints: &'s [Constraint<'s>],
}

/// The kind of a constraint, and the paths of its members.
type Constraint<'s> = (GroupKind, Vec<Vec<&'s str>>);

impl<'s> Part<'s> {
    fn of_block(block: &'s Block, path: &str, constraints: &'s [Constraint<'s>]) -> Self {
        Self {
            path: path.to_owned(),
            is_block: true,
            attributes: block.attributes(),
            blocks: block.blocks(),
            constraints,
        }
    }

    /// The constraints of a member, a sentence for each.
    fn demands(&self, name: &str) -> impl Iterator<Item = String> {
        let own = self.below(name);
        self.constraints.iter().filter_map(move |(kind, paths)| {
            let paths: Vec<String> = paths.iter().map(|path| path.join(".")).collect();
            let at = paths.iter().position(|path| *path == own)?;
            let list = |with_own: bool, between: &str| {
                let named = paths
                    .iter()
                    .filter(|path| with_own || **path != own)
                    .map(|path| format!("`{path}`"));
                named.collect::<Vec<_>>().join(between)
            };
            Some(match kind {
                GroupKind::ConflictsWith => format!("Conflicts with {}.", list(false, ", ")),
                GroupKind::ExactlyOneOf => {
                    format!("Exactly one of {} must be set.", list(true, ", "))
                }
                GroupKind::AtLeastOneOf => {
                    format!("At least one of {} must be set.", list(true, ", "))
                }
                GroupKind::RequiredWith => {
                    format!("Must be set together with {}.", list(false, ", "))
                }
                GroupKind::AtLeastSumOf if at == 0 => {
                    format!("Must be at least {}.", list(false, " + "))
                }
                GroupKind::AtMostSumOf if at == 0 => {
                    format!("Must be at most {}.", list(false, " + "))
                }
                GroupKind::EqualToSumOf if at == 0 => format!("Must be {}.", list(false, " + ")),
                GroupKind::AtLeastSumOf | GroupKind::AtMostSumOf | GroupKind::EqualToSumOf => {
                    return None;
                }
            })
        })
    }

    fn anchor(&self) -> String {
        let kind = if self.is_block {
            "nestedblock"
        } else {
            "nestedatt"
        };
        format!("{kind}--{}", self.path.replace('.', "--"))
    }

    fn below(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// The line of an attribute; what is nested in it follows later.
    fn attribute(&self, attribute: &'s Attribute, group: Group, nested: &mut Vec<Self>) -> String {
        let mut words = vec![match attribute.shape() {
            Shape::Plain(ty) => type_word(ty),
            Shape::Nested(inner) => match inner.nesting() {
                Nesting::Single => "Attributes".to_owned(),
                Nesting::List => "Attributes List".to_owned(),
                Nesting::Set => "Attributes Set".to_owned(),
                Nesting::Map => "Attributes Map".to_owned(),
            },
        }];
        if attribute.is_sensitive() {
            words.push("Sensitive".to_owned());
        }
        if attribute.is_write_only() {
            let link = "https://developer.hashicorp.com/terraform/language/resources/ephemeral#write-only-arguments";
            words.push(format!("[Write-only]({link})"));
        }
        if attribute.deprecated().is_some() {
            words.push("Deprecated".to_owned());
        }
        let mut text = one_line(attribute.description());
        let mut say = |sentence: &str| {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(sentence);
        };
        if let Some(deprecated) = attribute.deprecated() {
            say(&deprecation_text(deprecated, attribute.facts()));
        }
        for sentence in values(attribute, group) {
            say(&sentence);
        }
        if let Some(default) = attribute.default_json() {
            say(&format!("Defaults to {}.", code(&default)));
        }
        self.demands(attribute.name())
            .for_each(|demand| say(&demand));
        if let Shape::Nested(inner) = attribute.shape() {
            let path = self.below(attribute.name());
            let part = Self {
                path,
                is_block: false,
                attributes: inner.attributes(),
                blocks: &[],
                constraints: self.constraints,
            };
            say(&format!(
                "(see [below for nested schema](#{}))",
                part.anchor()
            ));
            nested.push(part);
        }
        line(attribute.name(), &words, &text)
    }

    fn block(&self, block: &'s NestedBlock, nested: &mut Vec<Self>) -> String {
        let mut words = vec![
            match block.nesting() {
                Nesting::Single => "Block",
                Nesting::List => "Block List",
                Nesting::Set => "Block Set",
                Nesting::Map => "Block Map",
            }
            .to_owned(),
        ];
        if block.min_items() > 0 {
            words.push(format!("Min: {}", block.min_items()));
        }
        if block.max_items() > 0 {
            words.push(format!("Max: {}", block.max_items()));
        }
        let part = Self::of_block(block.block(), &self.below(block.name()), self.constraints);
        let link = format!("(see [below for nested schema](#{}))", part.anchor());
        nested.push(part);
        let ty = block.implied_type();
        let checks = block.checks().filter_map(|check| demand(check, &ty));
        let parts = [one_line(block.block().description())]
            .into_iter()
            .chain(checks);
        let parts = parts.chain(self.demands(block.name())).chain([link]);
        let text = parts
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        line(block.name(), &words, &text)
    }
}

/// The values that an attribute can have, where those are fewer than its type has, a sentence for
/// each limit.
fn values(attribute: &Attribute, group: Group) -> Vec<String> {
    let ty = attribute.implied_type();
    let mut sentences: Vec<String> = variants(attribute, group).into_iter().collect();
    // Answers of the provider have no check, since only configurations have.
    if group != Group::ReadOnly {
        sentences.extend(attribute.checks().filter_map(|check| demand(check, &ty)));
    }
    sentences
}

/// The strings of the enum that an attribute, or each of its elements, is.
fn variants(attribute: &Attribute, group: Group) -> Option<String> {
    let Some(Taken::Strings(texts)) = attribute.taken() else {
        return None;
    };
    let texts = listed(
        texts
            .iter()
            .map(|text| code(&serde_json::Value::from(*text).to_string())),
        "or",
    )?;
    let elements = matches!(
        attribute.implied_type(),
        Type::List(_) | Type::Set(_) | Type::Map(_)
    );
    Some(match (elements, group) {
        (true, Group::ReadOnly) => format!("Each element is {texts}."),
        (true, Group::Required | Group::Optional) => format!("Each element must be {texts}."),
        (false, Group::ReadOnly) => format!("It is {texts}."),
        (false, Group::Required | Group::Optional) => format!("Must be {texts}."),
    })
}

/// The sentence about one check; nothing is known of an author's function.
fn demand(check: &Check, ty: &Type) -> Option<String> {
    let of = |subject: &str, ty: &Type, checks: &[Check]| {
        let demands: Vec<String> = checks
            .iter()
            .filter_map(|check| must(check, ty, code))
            .collect();
        (!demands.is_empty()).then(|| format!("{subject} {}.", demands.join(", and ")))
    };
    match (check, ty) {
        (Check::Each(checks), Type::List(element) | Type::Set(element) | Type::Map(element)) => {
            of("Each element", element, checks)
        }
        (Check::Keys(checks), _) => of("Each key", &Type::String, checks),
        (check, ty) => {
            let demand = must(check, ty, code)?;
            let mut letters = demand.chars();
            let first = letters.next()?;
            Some(format!("{}{}.", first.to_uppercase(), letters.as_str()))
        }
    }
}

/// Text in code of Markdown, which may have the sign that ends code.
fn code(text: &str) -> String {
    if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    }
}

fn line(name: &str, words: &[String], text: &str) -> String {
    format!("- `{name}` ({}) {text}", words.join(", "))
        .trim_end()
        .to_owned()
        + "\n"
}

/// A description as a part of a list.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A type, as pages name it.
fn type_word(ty: &Type) -> String {
    match ty {
        Type::Bool => "Boolean".to_owned(),
        Type::String => "String".to_owned(),
        Type::Number => "Number".to_owned(),
        Type::Dynamic => "Dynamic".to_owned(),
        Type::List(element) => format!("List of {}", type_word(element)),
        Type::Set(element) => format!("Set of {}", type_word(element)),
        Type::Map(element) => format!("Map of {}", type_word(element)),
        Type::Object(_) => "Object".to_owned(),
        Type::Tuple(_) => "Tuple".to_owned(),
        Type::Json | Type::Union(_) => "JSON".to_owned(),
    }
}

/// A type, as Terraform's language names it.
fn type_name(ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::String => "string".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Dynamic => "dynamic".to_owned(),
        Type::List(element) => format!("list of {}", type_name(element)),
        Type::Set(element) => format!("set of {}", type_name(element)),
        Type::Map(element) => format!("map of {}", type_name(element)),
        Type::Object(_) => "object".to_owned(),
        Type::Tuple(_) => "tuple".to_owned(),
        Type::Json | Type::Union(_) => "json".to_owned(),
    }
}
