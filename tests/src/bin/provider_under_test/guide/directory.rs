//! The guide's example of an upgrade that asks the API.

use upstate::{Diagnostics, Resource, UpgradeContext};
use upstate_provider::{Context, ManagedResource};

pub(super) fn add(
    provider: upstate_provider::Provider<Harbor>,
) -> upstate_provider::Provider<Harbor> {
    provider.with::<Directory>()
}

/// Where serial numbers are from.
#[derive(Debug, Clone)]
pub(crate) struct Harbor;

impl Harbor {
    #[expect(clippy::unused_async, reason = "an API is asked with `await`")]
    async fn serial(&self, path: &str) -> Result<String, Diagnostics> {
        if path.is_empty() {
            return Err("it has no path".into());
        }
        Ok(format!("serial of {path}"))
    }
}

#[derive(Resource)]
#[resource(type_name = "harbor_directory", version = 0)]
struct DirectoryV0 {
    path: String,
}

impl ManagedResource for Directory {
    type Client = Harbor;

    async fn create(plan: Self, context: &mut Context<Harbor>) -> Result<Self, Diagnostics> {
        Ok(Self {
            id: context.client().serial(&plan.path).await?,
            ..plan
        })
    }

    async fn read(state: Self, _: &mut Context<Harbor>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<Harbor>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<Harbor>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

#[derive(Resource)]
#[resource(type_name = "harbor_directory", version = 1)]
#[upgrade_from(0, model = DirectoryV0, with = look_up_serial, async)]
struct Directory {
    #[attribute(computed)]
    id: String,
    path: String,
}

async fn look_up_serial(
    prior: DirectoryV0,
    context: &mut UpgradeContext<'_>,
) -> Result<Directory, Diagnostics> {
    let Some(harbor) = context.client::<Harbor>() else {
        return Err("the provider is not configured".into());
    };
    Ok(Directory {
        id: harbor.serial(&prior.path).await?,
        path: prior.path,
    })
}
