//! `action "harbor_signal"`: a line at the end of a file.

use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
use upstate_provider::{Action, Context, Progress, ResourceConfig};

use crate::client::{Harbor, check_path};

/// Appends a line to a file, which is made if it is not there.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "harbor_signal", stateless)]
pub struct Signal {
    /// The file, below the provider's root.
    pub path: String,
    /// What the line says.
    pub message: String,
}

impl Action for Signal {
    type Client = Harbor;

    async fn invoke(
        config: Self,
        progress: &Progress,
        context: &mut Context<Harbor>,
    ) -> Result<(), Diagnostics> {
        let harbor = context.client();
        let mut text = harbor.read(&config.path).await?.unwrap_or_default();
        text += &config.message;
        text += "\n";
        let permissions = harbor
            .permissions(&config.path)
            .await?
            .unwrap_or_else(|| "0644".to_owned());
        harbor.write(&config.path, &text, &permissions).await?;
        progress.report(format!("{} signals so far", text.lines().count()));
        Ok(())
    }

    async fn plan(
        config: &ResourceConfig<Self>,
        context: &mut Context<Harbor>,
    ) -> Result<(), Diagnostics> {
        if let Some(path) = config.get("path").as_str()
            && context.client().permissions(path).await?.is_none()
        {
            let detail = format!("There is no file {path:?} yet, so the first signal makes it.");
            context.warn(Diagnostic::warning("First Signal", detail));
        }
        Ok(())
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if config
            .get("message")
            .as_str()
            .is_some_and(|message| message.contains('\n'))
        {
            let detail = "A signal is one line. Leave out the line break.";
            let at = AttributePath::new().attribute("message");
            return Err(Diagnostic::error("Invalid Message", detail).at(at).into());
        }
        config.get("path").as_str().map_or(Ok(()), check_path)
    }
}
