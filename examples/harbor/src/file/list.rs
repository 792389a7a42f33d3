//! `list "harbor_file"`: the existing files, also those that Terraform did not write.

use upstate::{Diagnostics, Resource};
use upstate_provider::{Context, Found, ListResource, ManagedResource as _, ResourceConfig};

use super::{File, FileIdentity};
use crate::client::{Harbor, check_path};

/// The files below a folder, in the order of their paths.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "harbor_file", stateless)]
pub struct Files {
    /// The folder, below the provider's root. All of the root unless it is given.
    pub path: Option<String>,
    /// Files whose name ends like this, such as `.txt`.
    #[attribute(default = "")]
    pub suffix: Option<String>,
}

impl ListResource for Files {
    type Resource = File;

    async fn list(
        config: Self,
        found: &mut Found<File>,
        context: &mut Context<Harbor>,
    ) -> Result<(), Diagnostics> {
        let suffix = config.suffix.unwrap_or_default();
        let paths = context.client().files(config.path.as_deref()).await?;
        tracing::debug!(files = paths.len(), "listed a folder");
        for path in paths.into_iter().filter(|path| path.ends_with(&suffix)) {
            let added = if found.wants_resources() {
                // It may be gone by now, or hold no text.
                match File::import(&path, context).await {
                    Ok(Some(file)) => found.add(&file, &path).await,
                    Ok(None) => continue,
                    Err(_) => {
                        found
                            .add_identity(&FileIdentity { path: path.clone() }, &path)
                            .await
                    }
                }
            } else {
                found
                    .add_identity(&FileIdentity { path: path.clone() }, &path)
                    .await
            };
            if added.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        config.get("path").as_str().map_or(Ok(()), check_path)
    }
}
