//! Guides for those who run a program with documents, and for those who run an operator: no word of
//! Terraform.

use upstate::Registry;
use upstate_compat::{Guide, GuideNote};

use crate::rules::between;

mod old {
    #[derive(upstate::Document)]
    #[document(type_name = "app.settings", version = 1)]
    #[upgrade_from(0 => 1, rename(colour => color))]
    pub struct Settings {
        pub color: String,
        #[attribute(default = 3)]
        pub stars: i64,
        pub theme: Option<String>,
    }

    #[derive(upstate::Document)]
    #[document(type_name = "app.history")]
    pub struct History {
        pub events: Vec<String>,
    }

    #[derive(upstate::Document)]
    #[document(type_name = "ferry.boat", version = 2)]
    #[upgrade_from(1 => 2, rename(title => name))]
    #[upgrade_from(0 => 1, rename(label => title))]
    #[kube(
        group = "ferry.example.com",
        kind = "Boat",
        version(0 = "v1alpha1", served = false),
        version(1 = "v1beta1", deprecated = "use v1"),
        version(2 = "v1", storage)
    )]
    pub struct Boat {
        pub name: String,
    }

    #[derive(upstate::Document)]
    #[document(type_name = "ferry.pier")]
    #[kube(group = "ferry.example.com", kind = "Pier", version(0 = "v1", storage))]
    pub struct Pier {
        pub name: String,
    }

    #[derive(upstate::Resource)]
    #[resource(type_name = "app_server")]
    pub struct Server {
        #[attribute(required)]
        pub name: String,
        #[attribute(optional)]
        pub size: Option<i64>,
    }
}

mod new {
    #[derive(upstate::Document)]
    #[document(type_name = "app.settings", version = 1, oldest = 1)]
    pub struct Settings {
        pub color: String,
        #[attribute(default = 5)]
        pub stars: i64,
        pub theme: Option<String>,
        pub shelf: String,
    }

    #[derive(upstate::Document)]
    #[document(type_name = "ferry.boat", version = 2, oldest = 1)]
    #[upgrade_from(1 => 2, rename(title => name))]
    #[kube(group = "ferry.example.com", kind = "Boat", version(1 = "v1beta1", served = false), version(2 = "v1", storage))]
    pub struct Boat {
        pub name: String,
    }

    #[derive(upstate::Resource)]
    #[resource(type_name = "app_server")]
    pub struct Server {
        #[attribute(required)]
        pub name: String,
    }
}

fn guide(old: Registry, new: &Registry, notes: &[GuideNote]) -> String {
    Guide::new(&between(old, new), notes).to_string()
}

fn speaks_of_terraform(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "terraform",
        "hcl",
        "plan",
        "provider",
        "apply",
        "configuration",
        " state",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// The recorded text: `UPDATE=1 cargo test -p upstate-tests --test lock guide` writes it.
fn recorded(name: &str, text: &str) {
    let path = format!("{}/guides/{name}.md", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{name}");
}

#[test]
fn a_guide_of_documents_says_what_to_do_with_them() {
    let old = Registry::new()
        .with::<old::Settings>()
        .with::<old::History>();
    let note = GuideNote {
        path: Some("app.settings.shelf".to_owned()),
        why: Some("Books have a place now.".to_owned()),
        before: Some("{\"stars\":3}".to_owned()),
        after: Some("{\"stars\":3,\"shelf\":\"a\"}".to_owned()),
        ..GuideNote::default()
    };
    let text = guide(old, &Registry::new().with::<new::Settings>(), &[note]);
    assert!(!speaks_of_terraform(&text), "{text}");
    recorded("documents", &text);
}

#[test]
fn a_guide_of_custom_resources_says_what_to_do_in_a_cluster() {
    let old = Registry::new().with::<old::Boat>().with::<old::Pier>();
    let text = guide(old, &Registry::new().with::<new::Boat>(), &[]);
    assert!(
        text.contains("Run `migrate-storage --forget v1alpha1` of 1.0.0"),
        "{text}"
    );
    assert!(
        text.contains("write `ferry.example.com/v1` in place of `ferry.example.com/v1beta1`"),
        "{text}"
    );
    // Applying a definition is a word of Kubernetes, too.
    assert!(
        !speaks_of_terraform(&text.replace("apply those of 1.0.0", "")),
        "{text}"
    );
    recorded("custom_resources", &text);
}

/// A program that is several things at once has the steps of each.
#[test]
fn a_guide_of_both_has_the_steps_of_both() {
    let old = Registry::new()
        .with::<old::Server>()
        .with::<old::Settings>()
        .with::<old::Boat>();
    let new = Registry::new()
        .with::<new::Server>()
        .with::<new::Settings>()
        .with::<new::Boat>();
    let text = guide(old, &new, &[]);
    let (frame, _) = text.split_once("## Custom resource").unwrap();
    for step in [
        "Apply until the plan is empty.",
        "Let all programs that read the documents",
        "`migrate-storage`",
        "your state and of the documents and of",
    ] {
        assert!(frame.contains(step), "{step}: {frame}");
    }
}

/// Each rule has words of its own for users of documents.
#[test]
fn no_entry_of_a_document_speaks_of_terraform() {
    for (rule, step) in crate::rules::OF_DOCUMENTS.concat() {
        let entries: Vec<_> = Guide::new(&step(), &[]).entries;
        for entry in entries
            .iter()
            .filter(|entry| entry.kind == upstate_compat::Kind::Document)
        {
            let all = [
                entry.steps.as_slice(),
                &[entry.heading.clone(), entry.affected.clone()],
            ]
            .concat()
            .join("\n");
            assert!(
                entry.state.is_none() && !entry.steps.is_empty() && !speaks_of_terraform(&all),
                "{rule}: {all}"
            );
            if let Some(definition) = &entry.definition {
                assert_eq!(definition, "boats.ferry.example.com", "{rule}");
            }
        }
    }
}
