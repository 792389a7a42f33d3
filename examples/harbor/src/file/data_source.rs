//! `data "harbor_file"`: a file that something else wrote.

use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
use upstate_provider::{Context, DataSource, ResourceConfig};

use super::measure;
use crate::client::{Harbor, check_path};

/// A file that is there already.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "harbor_file", stateless)]
pub struct FileLookup {
    /// Where the file is, below the provider's root.
    pub path: String,
    /// What is in the file.
    #[attribute(computed)]
    pub content: String,
    /// Who may do what with the file, as an octal number.
    #[attribute(computed)]
    pub permissions: Option<String>,
    /// The SHA-256 of the content, in hexadecimal.
    #[attribute(computed)]
    pub sha256: String,
    /// How many bytes the content has.
    #[attribute(computed)]
    pub size: i64,
}

impl DataSource for FileLookup {
    type Client = Harbor;

    async fn read(config: Self, context: &mut Context<Harbor>) -> Result<Self, Diagnostics> {
        let harbor = context.client();
        let Some(text) = harbor.read(&config.path).await? else {
            let detail = format!(
                "There is no file {:?}. Write it first, or look for another path.",
                config.path
            );
            return Err(Diagnostic::error("File Not Found", detail)
                .at(AttributePath::new().attribute("path"))
                .into());
        };
        let (sha256, size) = measure(&text);
        tracing::debug!(path = config.path, size, "read a file");
        let permissions = harbor.permissions(&config.path).await?;
        Ok(Self {
            content: text,
            permissions,
            sha256,
            size,
            ..config
        })
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        config.get("path").as_str().map_or(Ok(()), check_path)
    }
}
