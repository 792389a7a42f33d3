//! `harbor_directory`: a directory with a serial number of its own, which it keeps wherever it goes.

mod history;

use std::time::{SystemTime, UNIX_EPOCH};

use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
use upstate_provider::{Context, ManagedResource, Planned, ResourceConfig};

use crate::client::{Harbor, check_path, check_permissions};
use history::{DirectoryV0, DirectoryV1, look_up_serial};

/// The file that holds a directory's serial number.
const MARKER: &str = ".harbor";

/// A directory with a serial number.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "harbor_directory", version = 2)]
#[upgrade_from(0, model = DirectoryV0, with = history::from_v0, async)]
#[upgrade_from(1, model = DirectoryV1, with = look_up_serial, async)]
pub struct Directory {
    /// The serial number.
    #[attribute(computed)]
    pub id: String,
    /// Where the directory is, below the provider's root.
    #[attribute(requires_replace)]
    pub path: String,
    /// Who may do what with the directory, as an octal number.
    #[attribute(default = "0755")]
    pub permissions: Option<String>,
}

fn marker(path: &str) -> String {
    format!("{path}/{MARKER}")
}

/// A number that no other directory has.
fn new_serial() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("dir-{:x}-{:x}", now.as_nanos(), std::process::id())
}

impl Directory {
    fn mode(&self) -> &str {
        self.permissions.as_deref().unwrap_or("0755")
    }
}

impl ManagedResource for Directory {
    type Client = Harbor;

    const IMPORT_ID: Option<&'static str> = Some("path");

    async fn create(plan: Self, context: &mut Context<Harbor>) -> Result<Self, Diagnostics> {
        let harbor = context.client().clone();
        // One that is there and has a number is adopted; it was left behind by a creation that failed.
        let id = harbor
            .read(&marker(&plan.path))
            .await?
            .unwrap_or_else(new_serial);
        let made = Self { id, ..plan };
        harbor.make_directory(&made.path, made.mode()).await?;
        context.save(&made);
        harbor.write(&marker(&made.path), &made.id, "0644").await?;
        Ok(made)
    }

    async fn read(state: Self, context: &mut Context<Harbor>) -> Result<Option<Self>, Diagnostics> {
        let harbor = context.client();
        let Some(id) = harbor.read(&marker(&state.path)).await? else {
            return Ok(None);
        };
        let permissions = harbor.permissions(&state.path).await?;
        Ok(Some(Self {
            id: id.trim().to_owned(),
            permissions,
            ..state
        }))
    }

    async fn update(
        plan: Self,
        _prior: Self,
        context: &mut Context<Harbor>,
    ) -> Result<Self, Diagnostics> {
        context
            .client()
            .make_directory(&plan.path, plan.mode())
            .await?;
        Ok(plan)
    }

    async fn delete(state: Self, context: &mut Context<Harbor>) -> Result<(), Diagnostics> {
        context.client().remove_directory(&state.path, MARKER).await
    }

    async fn modify_plan(
        plan: &mut Planned<Self>,
        context: &mut Context<Harbor>,
    ) -> Result<(), Diagnostics> {
        if plan
            .get("permissions")
            .as_str()
            .is_some_and(|permissions| permissions.ends_with(['2', '3', '6', '7']))
        {
            let detail = "Everybody on this machine may write into the directory.";
            context.warn(
                Diagnostic::warning("Open Directory", detail)
                    .at(AttributePath::new().attribute("permissions")),
            );
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
        Ok(())
    }
}
