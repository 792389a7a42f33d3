//! Two resources of the AWS provider 3.39, as models: the test `recorded` asks this program and the real provider the same questions.

use std::collections::BTreeMap;
use std::process::ExitCode;

use upstate::{Diagnostics, Object, Resource};
use upstate_provider::{Context, ManagedResource, Provider};

#[derive(Object)]
struct Config {
    region: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "aws_ssm_patch_group", version = 1)]
#[upgrade_from(0, model = PatchGroupV0)]
struct PatchGroup {
    #[attribute(requires_replace)]
    baseline_id: String,
    #[attribute(optional, computed)]
    id: Option<String>,
    #[attribute(requires_replace)]
    patch_group: String,
}

#[derive(Resource)]
#[resource(type_name = "aws_ssm_patch_group", version = 0)]
struct PatchGroupV0 {
    baseline_id: String,
    #[attribute(optional, computed)]
    id: Option<String>,
    patch_group: String,
}

impl From<PatchGroupV0> for PatchGroup {
    fn from(PatchGroupV0 { baseline_id, patch_group, .. }: PatchGroupV0) -> Self {
        Self { id: Some(format!("{patch_group},{baseline_id}")), baseline_id, patch_group }
    }
}

#[derive(Resource)]
#[resource(type_name = "aws_key_pair", version = 1, oldest = 1, conflicts_with(key_name, key_name_prefix))]
struct KeyPair {
    #[attribute(computed)]
    arn: Option<String>,
    #[attribute(computed)]
    fingerprint: Option<String>,
    #[attribute(optional, computed)]
    id: Option<String>,
    #[attribute(optional, computed, requires_replace)]
    key_name: Option<String>,
    #[attribute(requires_replace)]
    key_name_prefix: Option<String>,
    #[attribute(computed)]
    key_pair_id: Option<String>,
    #[attribute(requires_replace)]
    public_key: String,
    tags: Option<BTreeMap<String, Option<String>>>,
    #[attribute(optional, computed)]
    tags_all: Option<BTreeMap<String, Option<String>>>,
}

/// Nothing is applied here.
macro_rules! managed {
    ($($model:ident),*) => {
        $(impl ManagedResource for $model {
            type Client = ();

            async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
                Ok(plan)
            }

            async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
                Ok(Some(state))
            }

            async fn update(plan: Self, _prior: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
                Ok(plan)
            }

            async fn delete(_state: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
                Ok(())
            }
        })*
    };
}

managed!(PatchGroup, KeyPair);

fn main() -> ExitCode {
    let provider = Provider::new("registry.terraform.io/hashicorp/aws", async |config: Config| {
        drop(config.region);
        Ok(())
    });
    provider.with::<PatchGroup>().with::<KeyPair>().serve()
}
