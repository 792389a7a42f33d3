//! The earlier versions of `harbor_file`.

use upstate::{AttributePath, Diagnostic, Resource};

use super::{File, measure};

/// Version 0: a file name, and permissions as the decimal number that looks octal.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_file", version = 0)]
pub struct FileV0 {
    #[attribute(computed)]
    pub id: String,
    pub filename: String,
    pub content: String,
    pub mode: Option<i64>,
}

/// Version 1 wrote permissions as text.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_file", version = 1, prior)]
pub struct FileV1 {
    #[attribute(computed)]
    pub id: String,
    pub filename: String,
    pub content: String,
    pub mode: Option<String>,
}

/// Version 2 called things by their names and could leave the content out of the configuration.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_file", version = 2, prior)]
pub struct FileV2 {
    #[attribute(computed)]
    pub id: String,
    pub path: String,
    pub content: Option<String>,
    pub permissions: Option<String>,
}

impl TryFrom<FileV0> for File {
    type Error = Diagnostic;

    /// The digits were always meant to be octal: 644 is 0644.
    fn try_from(prior: FileV0) -> Result<Self, Diagnostic> {
        let mode = match prior.mode {
            Some(mode) if mode < 0 || mode.to_string().contains(['8', '9']) => {
                let detail = format!(
                    "The stored mode {mode} is not an octal number. Set it to one such as 644 with the release that stored it."
                );
                return Err(Diagnostic::error("Unknown File Mode", detail)
                    .at(AttributePath::new().attribute("mode")));
            }
            mode => mode.map(|mode| mode.to_string()),
        };
        Ok(FileV1 {
            id: prior.id,
            filename: prior.filename,
            content: prior.content,
            mode,
        }
        .into())
    }
}

impl From<FileV1> for File {
    fn from(prior: FileV1) -> Self {
        let permissions = prior.mode.map(|mode| format!("{mode:0>4}"));
        FileV2 {
            id: prior.id,
            path: prior.filename,
            content: Some(prior.content),
            permissions,
        }
        .into()
    }
}

impl From<FileV2> for File {
    fn from(prior: FileV2) -> Self {
        let (sha256, size) = measure(prior.content.as_deref().unwrap_or_default());
        let permissions = prior.permissions.or_else(|| Some("0644".to_owned()));
        Self {
            id: prior.path.clone(),
            path: prior.path,
            content: prior.content,
            secret: None,
            secret_version: None,
            permissions,
            sha256,
            size,
        }
    }
}
