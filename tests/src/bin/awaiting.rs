//! A program with a type whose upgrader asks a service. `UPSTATE_TEST_SERVICE` says whether it can
//! be had.

use std::process::ExitCode;
use std::time::Duration;

use upstate::{Registry, Resource, UpgradeContext};

#[derive(Resource)]
#[resource(type_name = "example_named", version = 2)]
#[upgrade_from(0, model = NamedV0, with = ask_for_name, async, downgrade = without_name)]
#[upgrade_from(1, model = NamedV1)]
struct Named {
    id: String,
    name: String,
    size: Option<i64>,
}

#[derive(Resource)]
#[resource(type_name = "example_named", version = 1, oldest = 1)]
struct NamedV1 {
    id: String,
    name: String,
}

#[derive(Resource)]
#[resource(type_name = "example_named", version = 0)]
struct NamedV0 {
    id: String,
}

impl From<NamedV1> for Named {
    fn from(prior: NamedV1) -> Self {
        Self {
            id: prior.id,
            name: prior.name,
            size: None,
        }
    }
}

/// Answers after a while, from a task of its own.
struct Service;

impl Service {
    async fn name(&self, id: &str) -> Result<String, String> {
        let id = id.to_owned();
        let task = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            format!("name of {id}")
        });
        task.await.map_err(|error| error.to_string())
    }
}

async fn ask_for_name(prior: NamedV0, context: &mut UpgradeContext<'_>) -> Result<Named, String> {
    let service: &Service = context
        .client()
        .ok_or("there is no service to ask for the name")?;
    Ok(Named {
        name: service.name(&prior.id).await?,
        id: prior.id,
        size: None,
    })
}

fn without_name(named: Named) -> Result<NamedV0, String> {
    Ok(NamedV0 { id: named.id })
}

fn main() -> ExitCode {
    let registry = Registry::new().with::<Named>();
    match std::env::var("UPSTATE_TEST_SERVICE").as_deref() {
        Ok("missing") => upstate_cli::main(registry),
        Ok("down") => upstate_cli::main_with(registry, async |_| Err("the service is down")),
        _ => upstate_cli::main_with(registry, async |registry| {
            tokio::time::sleep(Duration::from_millis(1)).await;
            eprintln!("connected");
            Ok::<_, String>(registry.with_client(Service))
        }),
    }
}
