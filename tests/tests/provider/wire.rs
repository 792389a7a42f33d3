//! The messages of the provider, field by field, next to those that the real Terraform was built
//! with.
//!
//! A program in Go carries the descriptors of its messages; these are taken out of the Terraform
//! that the tests run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::real::terraform::{Release, V1_6, V1_10, V1_15};

/// Each method that both protocols have under some name (6, 5), and the messages of ours that it
/// takes and answers.
const METHODS: [(&str, &str, &str, &str); 28] = [
    ("GetMetadata", "GetMetadata", "Empty", "GetMetadataResponse"),
    (
        "GetProviderSchema",
        "GetSchema",
        "Empty",
        "GetProviderSchemaResponse",
    ),
    (
        "GetResourceIdentitySchemas",
        "GetResourceIdentitySchemas",
        "Empty",
        "GetResourceIdentitySchemasResponse",
    ),
    (
        "GetFunctions",
        "GetFunctions",
        "Empty",
        "GetFunctionsResponse",
    ),
    (
        "CallFunction",
        "CallFunction",
        "CallFunctionRequest",
        "CallFunctionResponse",
    ),
    (
        "ValidateProviderConfig",
        "PrepareProviderConfig",
        "ValidateProviderConfigRequest",
        "ValidateProviderConfigResponse",
    ),
    (
        "ConfigureProvider",
        "Configure",
        "ConfigureProviderRequest",
        "ConfigureProviderResponse",
    ),
    ("StopProvider", "Stop", "Empty", "StopProviderResponse"),
    (
        "ValidateResourceConfig",
        "ValidateResourceTypeConfig",
        "ValidateResourceConfigRequest",
        "ValidateResourceConfigResponse",
    ),
    (
        "UpgradeResourceState",
        "UpgradeResourceState",
        "UpgradeResourceStateRequest",
        "UpgradeResourceStateResponse",
    ),
    (
        "UpgradeResourceIdentity",
        "UpgradeResourceIdentity",
        "UpgradeResourceIdentityRequest",
        "UpgradeResourceIdentityResponse",
    ),
    (
        "MoveResourceState",
        "MoveResourceState",
        "MoveResourceStateRequest",
        "MoveResourceStateResponse",
    ),
    (
        "ReadResource",
        "ReadResource",
        "ReadResourceRequest",
        "ReadResourceResponse",
    ),
    (
        "PlanResourceChange",
        "PlanResourceChange",
        "PlanResourceChangeRequest",
        "PlanResourceChangeResponse",
    ),
    (
        "ApplyResourceChange",
        "ApplyResourceChange",
        "ApplyResourceChangeRequest",
        "ApplyResourceChangeResponse",
    ),
    (
        "ImportResourceState",
        "ImportResourceState",
        "ImportResourceStateRequest",
        "ImportResourceStateResponse",
    ),
    (
        "GenerateResourceConfig",
        "GenerateResourceConfig",
        "GenerateResourceConfigRequest",
        "GenerateResourceConfigResponse",
    ),
    (
        "ValidateDataResourceConfig",
        "ValidateDataSourceConfig",
        "ValidateConfigRequest",
        "ValidateConfigResponse",
    ),
    (
        "ReadDataSource",
        "ReadDataSource",
        "ReadDataSourceRequest",
        "ReadDataSourceResponse",
    ),
    (
        "ValidateEphemeralResourceConfig",
        "ValidateEphemeralResourceConfig",
        "ValidateConfigRequest",
        "ValidateConfigResponse",
    ),
    (
        "OpenEphemeralResource",
        "OpenEphemeralResource",
        "OpenEphemeralResourceRequest",
        "OpenEphemeralResourceResponse",
    ),
    (
        "RenewEphemeralResource",
        "RenewEphemeralResource",
        "OpenedEphemeralResourceRequest",
        "RenewEphemeralResourceResponse",
    ),
    (
        "CloseEphemeralResource",
        "CloseEphemeralResource",
        "OpenedEphemeralResourceRequest",
        "CloseEphemeralResourceResponse",
    ),
    (
        "ValidateListResourceConfig",
        "ValidateListResourceConfig",
        "ValidateConfigRequest",
        "ValidateConfigResponse",
    ),
    (
        "ListResource",
        "ListResource",
        "ListResourceRequest",
        "ListResourceEvent",
    ),
    (
        "ValidateActionConfig",
        "ValidateActionConfig",
        "ValidateConfigRequest",
        "ValidateConfigResponse",
    ),
    (
        "PlanAction",
        "PlanAction",
        "ActionRequest",
        "PlanActionResponse",
    ),
    (
        "InvokeAction",
        "InvokeAction",
        "ActionRequest",
        "InvokeActionEvent",
    ),
];

/// Fields that have another name here: names are not sent.
const RENAMED: [(&str, &str, &str); 3] = [
    ("ListResourceEvent", "diagnostics", "diagnostic"),
    ("StopProviderResponse", "error", "Error"),
    // Whatever is listed.
    ("TypeName", "type_name", "name"),
];

/// What a field is, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    number: i32,
    /// `int32` for enumerations, too.
    ty: String,
    repeated: bool,
    /// The message that it holds: ours or theirs.
    message: Option<String>,
}

/// Messages by name; theirs with dots between the names of nested ones.
type Messages = BTreeMap<String, BTreeMap<String, Field>>;

pub(super) fn descriptor(release: Release, protocol: u32) -> FileDescriptorProto {
    let library = fs::read(release.library()).unwrap();
    let find = |needle: &[u8], from: usize| {
        memchr::memmem::find(&library[from..], needle).map(|at| from + at)
    };
    let start = find(
        format!("\n\u{f}tfplugin{protocol}.proto\u{12}\ttfplugin{protocol}").as_bytes(),
        0,
    )
    .unwrap();
    let end = b"b\x06proto3";
    FileDescriptorProto::decode(&library[start..find(end, start).unwrap() + end.len()]).unwrap()
}

fn theirs(messages: &[DescriptorProto], within: &str, found: &mut Messages) {
    for message in messages {
        let name = format!("{within}{}", message.name());
        let inner = |field: &FieldDescriptorProto| {
            message.nested_type.iter().find(|it| {
                field
                    .type_name()
                    .ends_with(&format!(".{}.{}", message.name(), it.name()))
            })
        };
        let field = |field: &FieldDescriptorProto| {
            let known_as = |field: &FieldDescriptorProto| {
                field.type_name().splitn(3, '.').nth(2).map(str::to_owned)
            };
            let entry = inner(field).filter(|inner| {
                inner
                    .options
                    .as_ref()
                    .is_some_and(|options| options.map_entry())
            });
            let ty = match (entry, field.r#type()) {
                (Some(_), _) => "map".to_owned(),
                (None, Type::Enum) => "int32".to_owned(),
                (None, ty) => ty.as_str_name().trim_start_matches("TYPE_").to_lowercase(),
            };
            let message = entry.map_or(field, |entry| &entry.field[1]);
            let message = if message.r#type() == Type::Message {
                known_as(message)
            } else {
                None
            };
            Field {
                number: field.number(),
                ty,
                repeated: entry.is_none() && field.label() == Label::Repeated,
                message,
            }
        };
        found.insert(
            name.clone(),
            message
                .field
                .iter()
                .map(|it| (it.name().to_owned(), field(it)))
                .collect(),
        );
        theirs(&message.nested_type, &format!("{name}."), found);
    }
}

/// Reads our messages where they are written, for one protocol.
fn ours(protocol: u32) -> Messages {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../provider/src/proto");
    let (mut found, mut oneofs) = (Messages::new(), Messages::new());
    for file in fs::read_dir(folder).unwrap() {
        let mut text = fs::read_to_string(file.unwrap().path()).unwrap();
        if let Some((_, of)) = text
            .clone()
            .split_once(&format!("pub(crate) mod v{protocol} {{"))
        {
            let (_, rest) = of.split_once("schema_messages!(").unwrap();
            let (settings, more) = rest.split_once('{').unwrap();
            let settings = settings.split(',').map(str::trim);
            for setting in settings.filter(|setting| !setting.is_empty()) {
                let (name, number) = setting.split_once(" = ").unwrap();
                text = text.replace(&format!("tag = ${name}"), &format!("tag = {number}"));
            }
            let (more, after) = more.split_once(");").unwrap();
            let more = more.trim_end().strip_suffix('}').unwrap();
            // Behind the macro is what one protocol has alone.
            let after = if protocol == 6 {
                after.to_owned()
            } else {
                String::new()
            };
            text.truncate(text.find("/// Protocol 5").unwrap());
            text = text.replace("$($more)*", more) + &after;
        }
        let (mut message, mut attribute) = (String::new(), None::<String>);
        for line in text.lines().map(str::trim) {
            if let Some(name) = line
                .strip_prefix("pub(crate) struct ")
                .or_else(|| line.strip_prefix("pub(crate) enum "))
            {
                name.split([' ', '{'])
                    .next()
                    .unwrap()
                    .clone_into(&mut message);
                let into = if line.contains(" enum ") {
                    &mut oneofs
                } else {
                    &mut found
                };
                into.insert(message.clone(), BTreeMap::new());
            } else if let Some(rest) = line.strip_prefix('[') {
                let (attribute, rest) = rest.split_once("] ").unwrap();
                let (name, ty) = rest.split_once(':').unwrap();
                let name = name.trim_start_matches("r#").to_owned();
                let fields = found.get_mut(&message).unwrap();
                fields.insert(name, field(attribute, ty));
            } else if let Some(rest) = line.strip_prefix("#[prost(") {
                attribute = Some(rest.strip_suffix(")]").unwrap().to_owned());
            } else if let Some(attribute) =
                attribute.take_if(|_| !line.starts_with("///") && !line.starts_with("#["))
            {
                let (name, ty) = line
                    .trim_start_matches("pub(crate) ")
                    .split_once([':', '('])
                    .unwrap();
                let name = name.trim_start_matches("r#").to_owned();
                let field = field(&attribute, ty);
                let into = if oneofs.contains_key(&message) {
                    &mut oneofs
                } else {
                    &mut found
                };
                into.get_mut(&message).unwrap().insert(name, field);
            }
        }
    }
    // The fields of a choice are fields of the message that has it.
    for fields in found.values_mut() {
        for (name, field) in fields
            .clone()
            .into_iter()
            .filter(|(_, field)| field.ty == "oneof")
        {
            fields.remove(&name);
            for (name, inner) in &oneofs[&field.message.unwrap()] {
                fields.insert(snake(name), inner.clone());
            }
        }
    }
    found
}

fn snake(name: &str) -> String {
    let upper = |letter: char| {
        if letter.is_uppercase() {
            format!("_{}", letter.to_lowercase())
        } else {
            letter.to_string()
        }
    };
    name.chars()
        .map(upper)
        .collect::<String>()
        .trim_start_matches('_')
        .to_owned()
}

fn field(attribute: &str, ty: &str) -> Field {
    let kind = attribute.split([',', ' ']).next().unwrap();
    let tag = attribute.rsplit_once("tag").unwrap().1;
    let number = tag.chars().filter(char::is_ascii_digit).collect::<String>();
    let innermost = ty
        .trim_end_matches([',', '>', ')'])
        .rsplit(['<', ' ', '('])
        .next()
        .unwrap();
    let message = match kind {
        "message" | "oneof" => Some(innermost.to_owned()),
        "btree_map" if attribute.contains("string, message") => Some(innermost.to_owned()),
        _ => None,
    };
    let ty = if kind == "btree_map" { "map" } else { kind };
    Field {
        number: number.parse().unwrap_or(0),
        ty: ty.to_owned(),
        repeated: attribute.contains(", repeated"),
        message,
    }
}

/// Compares one message of ours with one of theirs, and what they hold; notes what theirs has
/// alone.
struct Comparison {
    protocol: u32,
    ours: Messages,
    theirs: Messages,
    seen: BTreeSet<(String, String)>,
    problems: Vec<String>,
    alone: BTreeSet<String>,
}

impl Comparison {
    fn compare(&mut self, our: &str, their: &str) {
        if !self.seen.insert((our.to_owned(), their.to_owned())) {
            return;
        }
        let mine = self
            .ours
            .get(our)
            .unwrap_or_else(|| panic!("there is no message {our}"))
            .clone();
        let fields = self
            .theirs
            .get(their)
            .unwrap_or_else(|| panic!("Terraform has no message {their}"))
            .clone();
        let mut matched = BTreeSet::new();
        for (name, field) in &mine {
            let renamed = RENAMED
                .iter()
                .find(|(message, ours, _)| (*message, *ours) == (our, name));
            let their_name = renamed
                .map(|(.., theirs)| *theirs)
                .filter(|theirs| fields.contains_key(*theirs))
                .unwrap_or(name);
            matched.insert(their_name.to_owned());
            let Some(expected) = fields.get(their_name) else {
                // Protocol 5 alone has it, and the answer in protocol 6 leaves it empty.
                if (our, name.as_str(), self.protocol)
                    != ("ValidateProviderConfigResponse", "prepared_config", 6)
                {
                    self.problems
                        .push(format!("{our}.{name}: {their} has no such field"));
                }
                continue;
            };
            if (field.number, &field.ty, field.repeated)
                != (expected.number, &expected.ty, expected.repeated)
            {
                self.problems.push(format!(
                    "{our}.{name} is {field:?}, and in {their} {expected:?}"
                ));
            }
            match (&field.message, &expected.message) {
                (Some(ours), Some(theirs)) if theirs == "protobuf.Timestamp" => {
                    assert_eq!(ours, "Timestamp")
                }
                (Some(ours), Some(theirs)) => self.compare(ours, theirs),
                (None, None) => {}
                (ours, theirs) => self.problems.push(format!(
                    "{our}.{name} holds {ours:?}, and in {their} {theirs:?}"
                )),
            }
        }
        self.alone.extend(
            fields
                .keys()
                .filter(|name| !matched.contains(*name))
                .map(|name| format!("{their}.{name}")),
        );
    }
}

fn compared(release: Release, protocol: u32) -> (Vec<String>, BTreeSet<String>, BTreeSet<String>) {
    let descriptor = descriptor(release, protocol);
    let mut messages = Messages::new();
    theirs(&descriptor.message_type, "", &mut messages);
    let service = descriptor
        .service
        .iter()
        .find(|service| service.name() == "Provider")
        .unwrap();
    let mut comparison = Comparison {
        protocol,
        ours: ours(protocol),
        theirs: messages,
        seen: BTreeSet::new(),
        problems: Vec::new(),
        alone: BTreeSet::new(),
    };
    let mut not_served = BTreeSet::new();
    for method in &service.method {
        let served = METHODS
            .iter()
            .find(|(six, five, ..)| method.name() == if protocol == 6 { *six } else { *five });
        let Some((.., question, answer)) = served else {
            not_served.insert(method.name().to_owned());
            continue;
        };
        let known_as = |name: &str| name.splitn(3, '.').nth(2).unwrap().to_owned();
        comparison.compare(question, &known_as(method.input_type()));
        comparison.compare(answer, &known_as(method.output_type()));
    }
    (comparison.problems, comparison.alone, not_served)
}

#[test]
fn every_field_has_the_number_and_the_type_that_terraform_was_built_with() {
    for release in [V1_6, V1_10, V1_15] {
        for protocol in [5, 6] {
            let (mut problems, ..) = compared(release, protocol);
            // What came later, an older Terraform does not send, and skips.
            problems.retain(|problem| {
                release.terraform == V1_15.terraform || !problem.contains("has no such field")
            });
            assert!(
                problems.is_empty(),
                "Terraform {}, protocol {protocol}:\n{}",
                release.terraform,
                problems.join("\n")
            );
        }
    }
}

/// A newer Terraform that brings more fails here: somebody decides what becomes of it.
#[test]
fn what_terraform_knows_and_the_provider_does_not_is_written_down() {
    for protocol in [5, 6] {
        let (_, alone, not_served) = compared(V1_15, protocol);
        let stores: BTreeSet<String> = [
            "ConfigureStateStore",
            "DeleteState",
            "GetStates",
            "LockState",
            "ReadStateBytes",
            "UnlockState",
            "ValidateStateStoreConfig",
            "WriteStateBytes",
        ]
        .map(str::to_owned)
        .into();
        assert_eq!(
            not_served,
            if protocol == 6 {
                stores
            } else {
                BTreeSet::new()
            }
        );
        // Deferral, for which a client capability asks, is for experimental builds.
        let deferral =
            |field: &str| field.ends_with(".deferred") || field.ends_with(".client_capabilities");
        let alone: Vec<&str> = alone
            .iter()
            .map(String::as_str)
            .filter(|field| !deferral(field))
            .collect();
        let common = [
            // Only the SDK says that it does not keep the rules of plans.
            "ApplyResourceChange.Response.legacy_type_system",
            "PlanResourceChange.Response.legacy_type_system",
            // Terraform does not read it.
            "Schema.Block.version",
            // Validating a list's configuration takes neither.
            "ValidateListResourceConfig.Request.include_resource_object",
            "ValidateListResourceConfig.Request.limit",
        ];
        let stores = [
            "GetMetadata.Response.state_stores",
            "GetProviderSchema.Response.state_store_schemas",
        ];
        // Terraform does not read them.
        let counts = ["Schema.Object.max_items", "Schema.Object.min_items"];
        let of_6 = if protocol == 6 {
            [stores, counts].concat()
        } else {
            Vec::new()
        };
        let mut expected = [&common[..], &of_6].concat();
        expected.sort_unstable();
        assert_eq!(alone, expected, "protocol {protocol}");
    }
}
