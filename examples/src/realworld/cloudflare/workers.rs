//! What surrounds scripts: their routes, their store of keys, their namespaces; and snippets, their small siblings.

use upstate::{Object, Resource};

/// Which requests a script answers.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_workers_route", version = 500)]
#[upgrade_from(0 => 500, rename(script_name => script))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct WorkersRoute {
    #[attribute(computed)]
    pub id: Option<String>,
    pub pattern: String,
    pub script: Option<String>,
    pub zone_id: String,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_workers_kv", version = 500)]
#[upgrade_from(0 => 500, rename(key => key_name))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct WorkersKv {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub key_name: String,
    pub namespace_id: String,
    pub value: String,
}

/// A namespace for customers' scripts. Its id is its name.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "cloudflare_workers_for_platforms_dispatch_namespace",
    version = 500
)]
#[upgrade_from(0 => 500, copy(id => namespace_name))]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct DispatchNamespace {
    #[attribute(computed)]
    pub id: String,
    pub account_id: String,
    pub name: Option<String>,
    #[attribute(computed)]
    pub namespace_name: String,
}

/// A few lines that run for a zone's requests.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_snippet", version = 500, oldest = 1)]
#[upgrade_from(1 => 500,
    rename(name => snippet_name),
    nest(main_module => metadata),
    carry(#[block(min = 1)] files: Vec<SnippetFile>),
)]
#[upgrade_from(2..=499, never_released)]
pub struct Snippet {
    pub files: Vec<SnippetFile>,
    pub metadata: Option<SnippetMetadata>,
    pub snippet_name: String,
    pub zone_id: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SnippetFile {
    pub content: Option<String>,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SnippetMetadata {
    pub main_module: Option<String>,
}
