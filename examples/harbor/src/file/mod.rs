//! `harbor_file`: a file with a content.

mod data_source;
mod history;
mod list;

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
use upstate_provider::{
    Change, Context, IdentifiedResource, ManagedResource, Planned, ResourceConfig,
};

use crate::client::{Harbor, check_path, check_permissions};
pub use data_source::FileLookup;
use history::{FileV0, FileV1, FileV2};
pub use list::Files;

/// A file with a content.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "harbor_file", version = 3, identity = FileIdentity)]
#[upgrade_from(0, model = FileV0)]
#[upgrade_from(1, model = FileV1)]
#[upgrade_from(2, model = FileV2)]
pub struct File {
    /// The path, below the provider's root.
    #[attribute(computed)]
    pub id: String,
    /// Where the file is, below the provider's root.
    #[attribute(requires_replace)]
    pub path: String,
    /// What is in the file. Give this or `secret`.
    pub content: Option<String>,
    /// What is in the file, never stored in the state. Change `secret_version` to have it written again.
    #[attribute(write_only, sensitive)]
    pub secret: Option<String>,
    /// Any number; when it changes, `secret` is written again.
    pub secret_version: Option<i64>,
    /// Who may do what with the file, as an octal number.
    #[attribute(default = "0644")]
    pub permissions: Option<String>,
    /// The SHA-256 of the content, in hexadecimal.
    #[attribute(computed)]
    pub sha256: String,
    /// How many bytes the content has.
    #[attribute(computed)]
    pub size: i64,
}

/// What tells a file from all others.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_file_identity", version = 0)]
pub struct FileIdentity {
    /// Where the file is, below the provider's root.
    pub path: String,
}

impl File {
    /// What was used to write the file: its permissions have a default.
    fn mode(&self) -> &str {
        self.permissions.as_deref().unwrap_or("0644")
    }

    /// The file with what follows from its content.
    fn holding(self, content: &str) -> Self {
        let (sha256, size) = measure(content);
        Self {
            id: self.path.clone(),
            sha256,
            size,
            ..self
        }
    }

    async fn write(self, harbor: &Harbor) -> Result<Self, Diagnostics> {
        let content = self
            .content
            .clone()
            .or_else(|| self.secret.clone())
            .unwrap_or_default();
        harbor.write(&self.path, &content, self.mode()).await?;
        Ok(self.holding(&content))
    }
}

/// The SHA-256 and the size of a content.
fn measure(content: &str) -> (String, i64) {
    let mut digest = String::new();
    for byte in Sha256::digest(content) {
        let _ = write!(digest, "{byte:02x}");
    }
    (digest, i64::try_from(content.len()).unwrap_or(i64::MAX))
}

impl ManagedResource for File {
    type Client = Harbor;

    async fn create(plan: Self, context: &mut Context<Harbor>) -> Result<Self, Diagnostics> {
        if context.client().permissions(&plan.path).await?.is_some() {
            let detail = format!(
                "There is a file {:?} already. Import it, or choose another path.",
                plan.path
            );
            return Err(Diagnostic::error("File Exists", detail)
                .at(AttributePath::new().attribute("path"))
                .into());
        }
        plan.write(context.client()).await
    }

    async fn read(state: Self, context: &mut Context<Harbor>) -> Result<Option<Self>, Diagnostics> {
        let Some(text) = context.client().read(&state.path).await? else {
            return Ok(None);
        };
        let permissions = context.client().permissions(&state.path).await?;
        // A content that was given as a secret stays one; its digest says whether it changed.
        let shown = state.content.is_some().then(|| text.clone());
        Ok(Some(Self {
            content: shown,
            permissions,
            ..state.holding(&text)
        }))
    }

    async fn update(
        plan: Self,
        prior: Self,
        context: &mut Context<Harbor>,
    ) -> Result<Self, Diagnostics> {
        let rewritten = plan.content.is_some() || plan.secret_version != prior.secret_version;
        if rewritten {
            return plan.write(context.client()).await;
        }
        // A secret is written when its version says so, and at no other time.
        let text = context.client().read(&plan.path).await?.unwrap_or_default();
        context
            .client()
            .write(&plan.path, &text, plan.mode())
            .await?;
        Ok(plan.holding(&text))
    }

    async fn delete(state: Self, context: &mut Context<Harbor>) -> Result<(), Diagnostics> {
        context.client().remove(&state.path).await
    }

    async fn import(id: &str, context: &mut Context<Harbor>) -> Result<Option<Self>, Diagnostics> {
        let Some(text) = context.client().read(id).await? else {
            return Ok(None);
        };
        let permissions = context.client().permissions(id).await?;
        let (sha256, size) = measure(&text);
        let path = id.to_owned();
        Ok(Some(Self {
            id: path.clone(),
            path,
            content: Some(text),
            secret: None,
            secret_version: None,
            permissions,
            sha256,
            size,
        }))
    }

    /// What follows from a content that is known is known too.
    async fn modify_plan(
        plan: &mut Planned<Self>,
        _context: &mut Context<Harbor>,
    ) -> Result<(), Diagnostics> {
        if plan.change() == Change::Delete {
            return Ok(());
        }
        if let Some(content) = plan.get("content").as_str() {
            let (sha256, size) = measure(content);
            plan.set("sha256", sha256);
            plan.set("size", size);
        } else if plan.get("content").is_null() && !plan.changes("secret_version") {
            plan.keep("sha256");
            plan.keep("size");
        }
        Ok(())
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if let Some(path) = config.get("path").as_str() {
            check_path(path)?;
        }
        if let Some(permissions) = config.get("permissions").as_str() {
            check_permissions(permissions)?;
        }
        if config.get("content").is_null() == config.get("secret").is_null() {
            let detail =
                "A file has either a content or a secret: set one of `content` and `secret`.";
            return Err(Diagnostic::error("Invalid Content", detail)
                .at(AttributePath::new().attribute("content"))
                .into());
        }
        Ok(())
    }
}

impl IdentifiedResource for File {
    type Identity = FileIdentity;

    fn identity(&self) -> FileIdentity {
        FileIdentity {
            path: self.path.clone(),
        }
    }

    async fn import_identity(
        identity: FileIdentity,
        context: &mut Context<Harbor>,
    ) -> Result<Option<Self>, Diagnostics> {
        Self::import(&identity.path, context).await
    }
}
