//! `ephemeral "harbor_pass"`: a random number that is in a file for as long as Terraform runs.

use std::time::{Duration, SystemTime};

use tokio::io::AsyncReadExt as _;
use upstate::{Diagnostic, Diagnostics, Resource};
use upstate_provider::{Context, EphemeralResource, Opened, ResourceConfig};

use crate::client::{Harbor, check_path};

/// How long a pass is good for unless it is renewed.
const GOOD_FOR: Duration = Duration::from_mins(5);

/// A pass for one run. It is deleted at the end.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "harbor_pass", stateless)]
pub struct Pass {
    /// The file that holds the pass, below the provider's root.
    pub path: String,
    /// The pass: a random number, in hexadecimal.
    #[attribute(computed, sensitive)]
    pub number: String,
}

/// A number that nobody can guess.
async fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    tokio::fs::File::open("/dev/urandom")
        .await?
        .read_exact(&mut bytes)
        .await?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

impl EphemeralResource for Pass {
    type Client = Harbor;

    async fn open(
        config: Self,
        context: &mut Context<Harbor>,
    ) -> Result<Opened<Self>, Diagnostics> {
        let number = random()
            .await
            .map_err(|error| format!("There is no random number: {error}."))?;
        context
            .client()
            .write(&config.path, &number, "0600")
            .await?;
        context.private_mut().set("path", config.path.as_bytes());
        tracing::info!(path = config.path, "opened a pass");
        Ok(Opened::new(Self { number, ..config }).renew_at(SystemTime::now() + GOOD_FOR))
    }

    /// A pass that is still there is good for longer.
    async fn renew(context: &mut Context<Harbor>) -> Result<Option<SystemTime>, Diagnostics> {
        let path = path(context)?;
        match context.client().permissions(&path).await? {
            Some(_) => Ok(Some(SystemTime::now() + GOOD_FOR)),
            None => Err(Diagnostic::error(
                "Pass Withdrawn",
                format!("The pass {path:?} is no longer there."),
            )
            .into()),
        }
    }

    async fn close(context: &mut Context<Harbor>) -> Result<(), Diagnostics> {
        let path = path(context)?;
        context.client().remove(&path).await
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        config.get("path").as_str().map_or(Ok(()), check_path)
    }
}

fn path(context: &Context<Harbor>) -> Result<String, Diagnostics> {
    let path = context
        .private()
        .get("path")
        .and_then(|path| String::from_utf8(path.to_vec()).ok());
    path.ok_or_else(|| "Nothing says which pass is meant.".into())
}
