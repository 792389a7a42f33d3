//! `harbor_config_file`: a file of sections with settings.

mod history;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use upstate::{AttributePath, Diagnostic, Diagnostics, Object, Resource};
use upstate_provider::{Context, ManagedResource, ResourceConfig};

use crate::client::{Harbor, check_path};
pub use history::IniFile;
use history::{ConfigFileV0, ConfigFileV1};

/// A file of sections with settings, in the form that many programs read.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "harbor_config_file", version = 2)]
#[upgrade_from(0, model = ConfigFileV0)]
#[upgrade_from(1, model = ConfigFileV1)]
#[move_from(type_name = "harbor_ini_file", model = IniFile)]
pub struct ConfigFile {
    /// The path, below the provider's root.
    #[attribute(computed)]
    pub id: String,
    /// Where the file is, below the provider's root.
    #[attribute(requires_replace)]
    pub path: String,
    /// The first line of the file, as a comment.
    #[attribute(default = "managed by Terraform")]
    pub comment: Option<String>,
    /// A section of the file.
    #[block]
    pub section: Vec<Section>,
    /// How the file is looked after.
    pub upkeep: Option<Upkeep>,
}

/// A section: settings under a name.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct Section {
    /// The name between brackets.
    pub name: String,
    /// The settings, by name.
    pub settings: BTreeMap<String, String>,
}

/// How a file is looked after.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct Upkeep {
    /// Who to ask about it.
    pub owner: String,
    /// Who may change it besides.
    pub editors: Option<BTreeSet<String>>,
}

impl ConfigFile {
    async fn write(self, harbor: &Harbor) -> Result<Self, Diagnostics> {
        let written = Self {
            id: self.path.clone(),
            ..self
        };
        harbor
            .write(&written.path, &text::write(&written), "0644")
            .await?;
        Ok(written)
    }
}

impl ManagedResource for ConfigFile {
    type Client = Harbor;

    async fn create(plan: Self, context: &mut Context<Harbor>) -> Result<Self, Diagnostics> {
        plan.write(context.client()).await
    }

    async fn read(state: Self, context: &mut Context<Harbor>) -> Result<Option<Self>, Diagnostics> {
        let Some(text) = context.client().read(&state.path).await? else {
            return Ok(None);
        };
        let (comment, section) = text::read(&text)?;
        Ok(Some(Self {
            comment,
            section,
            ..state
        }))
    }

    async fn update(
        plan: Self,
        _prior: Self,
        context: &mut Context<Harbor>,
    ) -> Result<Self, Diagnostics> {
        plan.write(context.client()).await
    }

    async fn delete(state: Self, context: &mut Context<Harbor>) -> Result<(), Diagnostics> {
        context.client().remove(&state.path).await
    }

    async fn import(id: &str, context: &mut Context<Harbor>) -> Result<Option<Self>, Diagnostics> {
        let empty = Self {
            id: id.to_owned(),
            path: id.to_owned(),
            comment: None,
            section: Vec::new(),
            upkeep: None,
        };
        Self::read(empty, context).await
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if let Some(path) = config.get("path").as_str() {
            check_path(path)?;
        }
        let Some(model) = config.model() else {
            return Ok(());
        };
        for (index, section) in (0..).zip(&model.section) {
            if model
                .section
                .iter()
                .take(usize::try_from(index).unwrap_or(0))
                .any(|other| other.name == section.name)
            {
                let path = AttributePath::new()
                    .attribute("section")
                    .index(index)
                    .attribute("name");
                let detail = format!(
                    "There are two sections called {:?}; the file would have one with the settings of both.",
                    section.name
                );
                return Err(Diagnostic::error("Repeated Section", detail)
                    .at(path)
                    .into());
            }
        }
        Ok(())
    }
}
