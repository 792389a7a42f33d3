//! `rancher/rancher2`.

use std::collections::BTreeMap;

use upstate::{Diagnostic, Object, Resource};

/// A cluster that Rancher sets up.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "rancher2_cluster_v2", version = 1)]
#[upgrade_from(0 => 1,
    within(rke_config.machine_selector_config, convert(config: Option<BTreeMap<String, String>>, with = yaml)),
)]
pub struct ClusterV2 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: String,
    pub rke_config: Option<Vec<RkeConfig>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RkeConfig {
    pub machine_selector_config: Option<Vec<MachineSelectorConfig>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct MachineSelectorConfig {
    /// YAML, since a map holds nothing nested.
    pub config: Option<String>,
}

#[expect(clippy::unnecessary_wraps, reason = "what `convert` calls may fail")]
fn yaml(settings: Option<BTreeMap<String, String>>) -> Result<Option<String>, Diagnostic> {
    let line = |(name, value): (String, String)| format!("{}: {}\n", scalar(name), scalar(value));
    Ok(settings.map(|settings| settings.into_iter().map(line).collect()))
}

/// A string as YAML has it: in quotes, unless it can be nothing but a string.
fn scalar(text: String) -> String {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "-_./".contains(char))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    // Text in JSON's quotes is text in YAML's.
    if is_plain {
        text
    } else {
        serde_json::Value::String(text).to_string()
    }
}
