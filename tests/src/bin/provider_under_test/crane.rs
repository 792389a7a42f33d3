//! A list and an action that do what their configured `behaviour` says, good and bad.

use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
use upstate_provider::{Action, Context, Found, ListResource, Progress, ResourceConfig};

use super::quay::{Berth, Client};

/// So many berths.
#[derive(Debug, Resource)]
#[resource(type_name = "quay_berth")]
pub(crate) struct Berths {
    #[attribute(default = 2)]
    amount: Option<i64>,
    behaviour: Option<String>,
}

impl ListResource for Berths {
    type Resource = Berth;

    async fn list(
        config: Self,
        found: &mut Found<Berth>,
        context: &mut Context<Client>,
    ) -> Result<(), Diagnostics> {
        for size in 1..=config.amount.unwrap_or_default() {
            let label = context.client().label.clone();
            let id = format!("berth-{size}");
            let berth = Berth {
                id: id.clone(),
                behaviour: "rest".to_owned(),
                size,
                label,
                pin: Some("sesame-1".to_owned()),
            };
            if found.add(&berth, format!("Berth {id}")).await.is_break() {
                break;
            }
        }
        match config.behaviour.as_deref() {
            Some("refuse") => {
                let path = AttributePath::new().attribute("behaviour");
                Err(Diagnostic::error("Fog", "The rest can't be seen.")
                    .at(path)
                    .into())
            }
            Some("panic") => panic!("the token is {}", context.client().token),
            Some("warn") => {
                context.warn(Diagnostic::warning("Fog", "There may be more."));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Lifts something.
#[derive(Debug, Resource)]
#[resource(type_name = "quay_crane")]
pub(crate) struct Crane {
    behaviour: Option<String>,
    #[attribute(default = 3)]
    lifts: Option<i64>,
    #[attribute(sensitive)]
    code: Option<String>,
}

impl Action for Crane {
    type Client = Client;

    async fn invoke(
        config: Self,
        progress: &Progress,
        context: &mut Context<Client>,
    ) -> Result<(), Diagnostics> {
        let code = config.code.unwrap_or_default();
        for lift in 1..=config.lifts.unwrap_or_default() {
            progress.report(format!("lift {lift} {code}"));
        }
        match config.behaviour.as_deref() {
            Some("refuse") => Err(format!("the code {code} is wrong").into()),
            Some("panic") => panic!("the code is {code}"),
            Some("warn") => {
                context.warn(Diagnostic::warning("Creaking", "Oil the crane."));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn plan(
        config: &ResourceConfig<Self>,
        _: &mut Context<Client>,
    ) -> Result<(), Diagnostics> {
        if config.get("behaviour").as_str() == Some("too heavy") {
            let path = AttributePath::new().attribute("behaviour");
            return Err(Diagnostic::error("Too Heavy", "No crane lifts that.")
                .at(path)
                .into());
        }
        Ok(())
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if config.get("behaviour").as_str() == Some("invalid") {
            let path = AttributePath::new().attribute("behaviour");
            return Err(
                Diagnostic::error("Invalid Behaviour", "There is no such behaviour.")
                    .at(path)
                    .into(),
            );
        }
        Ok(())
    }
}
