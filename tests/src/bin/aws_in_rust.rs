//! Two resources and a data source of the AWS provider 3.39, as models: the test `recorded` asks
//! this program and the real provider the same questions. Its functions answer what that provider
//! makes of the answers of the test's API.

use std::collections::BTreeMap;
use std::process::ExitCode;

use upstate::{Diagnostic, Diagnostics, Object, Resource};
use upstate_provider::{Context, DataSource, ManagedResource, Provider};

#[derive(Object)]
struct Config {
    region: String,
    access_key: Option<String>,
    max_retries: Option<i64>,
    skip_region_validation: Option<bool>,
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
    fn from(
        PatchGroupV0 {
            baseline_id,
            patch_group,
            ..
        }: PatchGroupV0,
    ) -> Self {
        Self {
            id: Some(format!("{patch_group},{baseline_id}")),
            baseline_id,
            patch_group,
        }
    }
}

/// The error for what the API refuses.
fn refused(what: &str) -> Diagnostics {
    Diagnostic::error(format!("Unable to {what}"), "The API answers: no").into()
}

impl PatchGroup {
    fn check(&self, what: &str) -> Result<(), Diagnostics> {
        if self.baseline_id == "pb-refused0000000000" {
            Err(refused(what))
        } else {
            Ok(())
        }
    }
}

impl ManagedResource for PatchGroup {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        plan.check("Register Patch Group")?;
        Ok(Self {
            id: Some(format!("{},{}", plan.patch_group, plan.baseline_id)),
            ..plan
        })
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(matches!(state.patch_group.as_str(), "web" | "db").then_some(state))
    }

    /// Every attribute that can be configured requires a replacement.
    async fn update(_: Self, _prior: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Err(refused("Update Patch Group"))
    }

    async fn delete(state: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        state.check("Deregister Patch Group")
    }
}

type Tags = BTreeMap<String, Option<String>>;

#[derive(Resource)]
#[resource(
    type_name = "aws_key_pair",
    version = 1,
    oldest = 1,
    conflicts_with(key_name, key_name_prefix)
)]
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
    tags: Option<Tags>,
    #[attribute(optional, computed)]
    tags_all: Option<Tags>,
}

impl ManagedResource for KeyPair {
    type Client = ();

    /// The API does not tell the key: the provider in Go imports none, and plans another key pair.
    async fn import(id: &str, context: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        let state = Self {
            arn: None,
            fingerprint: None,
            id: Some(id.to_owned()),
            key_name: None,
            key_name_prefix: None,
            key_pair_id: None,
            public_key: "not known".to_owned(),
            tags: None,
            tags_all: None,
        };
        Self::read(state, context).await
    }

    async fn create(plan: Self, context: &mut Context<()>) -> Result<Self, Diagnostics> {
        let created = Self {
            id: plan.key_name.clone(),
            ..plan
        };
        Self::read(created, context)
            .await?
            .ok_or_else(|| refused("Import Key Pair"))
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        let Some(id) = state.id.clone().filter(|id| id != "refused") else {
            return Err(refused("Read Key Pair"));
        };
        let tags = Tags::from([("a".to_owned(), Some("c".to_owned()))]);
        Ok(Some(Self {
            arn: Some(format!("arn:aws:ec2:eu-west-1::key-pair/{id}")),
            fingerprint: Some("f".to_owned()),
            key_name: Some(id),
            key_pair_id: Some("key-1".to_owned()),
            tags: Some(tags.clone()),
            tags_all: Some(tags),
            ..state
        }))
    }

    async fn update(
        plan: Self,
        _prior: Self,
        context: &mut Context<()>,
    ) -> Result<Self, Diagnostics> {
        Self::read(plan, context)
            .await?
            .ok_or_else(|| refused("Read Key Pair"))
    }

    async fn delete(state: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        if state.id.is_some_and(|id| id == "refused") {
            Err(refused("Delete Key Pair"))
        } else {
            Ok(())
        }
    }
}

#[derive(Resource)]
#[resource(type_name = "aws_arn", stateless)]
struct Arn {
    #[attribute(computed)]
    account: Option<String>,
    #[attribute(pattern = "^arn:([^:]*:){4}.")]
    arn: String,
    #[attribute(optional, computed)]
    id: Option<String>,
    #[attribute(computed)]
    partition: Option<String>,
    #[attribute(computed)]
    region: Option<String>,
    #[attribute(computed)]
    resource: Option<String>,
    #[attribute(computed)]
    service: Option<String>,
}

impl DataSource for Arn {
    type Client = ();

    async fn read(config: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        let parts: Vec<&str> = config.arn.splitn(6, ':').collect();
        let ["arn", partition, service, region, account, resource] = parts.as_slice() else {
            return Err(Diagnostic::error(
                "Invalid ARN",
                "It has fewer than six parts, or another beginning than `arn:`.",
            )
            .into());
        };
        let part = |part: &str| Some(part.to_owned());
        Ok(Self {
            account: part(account),
            id: part(&config.arn),
            partition: part(partition),
            region: part(region),
            resource: part(resource),
            service: part(service),
            arn: config.arn.clone(),
        })
    }
}

fn main() -> ExitCode {
    let provider = Provider::new(
        "registry.terraform.io/hashicorp/aws",
        async |config: Config| {
            if config.skip_region_validation != Some(true) && config.region == "nowhere" {
                return Err(Diagnostic::error(
                    "Invalid AWS Region",
                    "There is no region \"nowhere\".",
                )
                .into());
            }
            Ok(())
        },
    );
    match std::env::var_os("AWS_IN_GO") {
        // The rest of the provider, key pairs among it, stays in Go.
        Some(program) => provider
            .with::<PatchGroup>()
            .with_data_source::<Arn>()
            .beside(std::path::PathBuf::from(program))
            .serve(),
        None => provider
            .with::<PatchGroup>()
            .with::<KeyPair>()
            .with_data_source::<Arn>()
            .serve(),
    }
}
