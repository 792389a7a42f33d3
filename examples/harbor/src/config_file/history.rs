//! The earlier versions of `harbor_config_file`, and the type it was before.

use std::collections::BTreeMap;

use upstate::{AttributePath, Diagnostic, Object, Resource};

use super::{ConfigFile, Section};

/// Version 0: settings in one map, their names as `section.name`.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_config_file", version = 0)]
pub struct ConfigFileV0 {
    #[attribute(computed)]
    pub id: String,
    pub path: String,
    pub settings: BTreeMap<String, String>,
}

/// Version 1: settings in a list.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_config_file", version = 1, prior)]
pub struct ConfigFileV1 {
    #[attribute(computed)]
    pub id: String,
    pub path: String,
    pub comment: Option<String>,
    pub settings: Vec<Setting>,
}

/// A setting as version 1 had it.
#[derive(Debug, Object)]
pub struct Setting {
    pub section: String,
    pub name: String,
    pub value: String,
}

/// `harbor_ini_file`, the type of the first releases: one section and no more.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_ini_file", version = 1)]
#[upgrade_from(0, model = IniFileV0)]
pub struct IniFile {
    /// The path, below the provider's root.
    #[attribute(computed)]
    pub id: String,
    /// Where the file is, below the provider's root.
    pub path: String,
    /// The name of the section.
    pub section: String,
    /// The settings, by name.
    pub settings: BTreeMap<String, String>,
}

/// Version 0 of the old type called the path a name.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_ini_file", version = 0)]
pub struct IniFileV0 {
    #[attribute(computed)]
    pub id: String,
    pub file_name: String,
    pub section: String,
    pub settings: BTreeMap<String, String>,
}

impl From<IniFileV0> for IniFile {
    fn from(prior: IniFileV0) -> Self {
        Self {
            id: prior.id,
            path: prior.file_name,
            section: prior.section,
            settings: prior.settings,
        }
    }
}

impl From<IniFile> for ConfigFile {
    fn from(old: IniFile) -> Self {
        let section = vec![Section {
            name: old.section,
            settings: old.settings,
        }];
        Self {
            id: old.path.clone(),
            path: old.path,
            comment: Some("managed by Terraform".to_owned()),
            section,
            upkeep: None,
        }
    }
}

impl TryFrom<ConfigFileV0> for ConfigFile {
    type Error = Diagnostic;

    fn try_from(prior: ConfigFileV0) -> Result<Self, Diagnostic> {
        let mut settings = Vec::new();
        for (name, value) in prior.settings {
            let Some((section, name)) = name.split_once('.') else {
                let path = AttributePath::new().attribute("settings").key(&name);
                let detail = format!(
                    "The setting {name:?} names no section: expected section.name. Rename it with the release that stored it."
                );
                return Err(Diagnostic::error("Setting Without Section", detail).at(path));
            };
            settings.push(Setting {
                section: section.to_owned(),
                name: name.to_owned(),
                value,
            });
        }
        Ok(ConfigFileV1 {
            id: prior.id,
            path: prior.path,
            comment: None,
            settings,
        }
        .into())
    }
}

impl From<ConfigFileV1> for ConfigFile {
    /// Sections stand in the order in which they were first named.
    fn from(prior: ConfigFileV1) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        for setting in prior.settings {
            let known = sections
                .iter()
                .position(|section| section.name == setting.section)
                .and_then(|at| sections.get_mut(at));
            if let Some(section) = known {
                section.settings.insert(setting.name, setting.value);
            } else {
                let settings = BTreeMap::from([(setting.name, setting.value)]);
                sections.push(Section {
                    name: setting.section,
                    settings,
                });
            }
        }
        let comment = prior
            .comment
            .or_else(|| Some("managed by Terraform".to_owned()));
        Self {
            id: prior.path.clone(),
            path: prior.path,
            comment,
            section: sections,
            upkeep: None,
        }
    }
}
