//! The text of a configuration file: `# comment`, `[section]`, `name = value`.

use std::collections::BTreeMap;

use upstate::{Diagnostic, Diagnostics};

use super::{ConfigFile, Section};

pub(super) fn write(file: &ConfigFile) -> String {
    let mut text = String::new();
    let mut line = |parts: &[&str]| {
        text.extend(parts.iter().copied());
        text.push('\n');
    };
    if let Some(comment) = &file.comment {
        line(&["# ", comment]);
    }
    for section in &file.section {
        line(&["[", &section.name, "]"]);
        for (name, value) in &section.settings {
            line(&[name, " = ", value]);
        }
    }
    text
}

pub(super) fn read(text: &str) -> Result<(Option<String>, Vec<Section>), Diagnostics> {
    let mut comment = None;
    let mut sections: Vec<Section> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(text) = line.strip_prefix('#') {
            comment.get_or_insert_with(|| text.trim().to_owned());
        } else if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            sections.push(Section {
                name: name.to_owned(),
                settings: BTreeMap::new(),
            });
        } else if let (Some((name, value)), Some(section)) =
            (line.split_once('='), sections.last_mut())
        {
            section
                .settings
                .insert(name.trim().to_owned(), value.trim().to_owned());
        } else if !line.is_empty() {
            let detail = format!(
                "Line {} of the file is neither a section nor a setting in one. Mend it, or delete the file.",
                number + 1
            );
            return Err(Diagnostic::error("Unreadable Configuration File", detail).into());
        }
    }
    Ok((comment, sections))
}
