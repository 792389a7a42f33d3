//! Checks of what users write, where defaults and what is computed are left out.

use upstate::{Diagnostics, Object, Resource};
use upstate_provider::testing::{Acceptance, Step, Terraform};
use upstate_provider::{Context, ManagedResource, Provider, ResourceConfig};

use super::real::terraform::V1_15;

#[derive(Resource)]
#[resource(stateless, conflicts_with(token, profile))]
struct Access {
    token: Option<String>,
    #[attribute(default = "main")]
    profile: Option<String>,
}

/// Accepts the default where nothing is written, and one other profile.
fn known_profile(config: &ResourceConfig<Access>) -> Result<(), Diagnostics> {
    let profile = config.model().and_then(|access| access.profile);
    match (config.get("profile").as_str(), profile.as_deref()) {
        (None, Some("main")) | (Some("guest"), Some("guest")) => Ok(()),
        (written, profile) => {
            Err(format!("{written:?} is written, and the profile is {profile:?}.").into())
        }
    }
}

/// A palisade whose stakes are checked wherever they may be.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "palisades_palisade", version = 0)]
struct Palisade {
    #[attribute(computed)]
    id: String,
    #[attribute(validate = deep)]
    one: Option<Stake>,
    #[attribute(each(validate = deep))]
    many: Option<Vec<Stake>>,
    #[block(validate = deep)]
    gate: Option<Stake>,
    #[block(each(validate = deep))]
    row: Vec<Stake>,
}

#[derive(Debug, Clone, Object)]
struct Stake {
    #[attribute(computed)]
    id: String,
    #[attribute(default = 80)]
    length: i64,
    depth: i64,
}

fn deep(stake: &Stake) -> Result<(), String> {
    if stake.depth * 2 < stake.length {
        Err(format!("is {} deep of {}", stake.depth, stake.length))
    } else {
        Ok(())
    }
}

impl Palisade {
    fn made(mut self) -> Self {
        let Self {
            id,
            one,
            many,
            gate,
            row,
        } = &mut self;
        "palisade".clone_into(id);
        for stake in many.iter_mut().flatten().chain(one).chain(gate).chain(row) {
            "stake".clone_into(&mut stake.id);
        }
        self
    }
}

impl ManagedResource for Palisade {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

fn provider() -> Provider<()> {
    Provider::new("example.com/upstate/palisades", async |_: Access| Ok(()))
        .validated_by(known_profile)
        .with::<Palisade>()
}

fn terraform() -> Acceptance {
    let terraform =
        Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, provider).always()
}

fn palisade(stakes: &str) -> String {
    format!("resource \"palisades_palisade\" \"it\" {{\n{stakes}}}\n")
}

#[test]
fn nested_objects_are_checked_with_what_need_not_be_written() {
    let it = "palisades_palisade.it";
    let block = |name: &str, depth: i64| format!("  {name} {{\n    depth = {depth}\n  }}\n");
    let good = "  one  = { depth = 40 }\n  many = [{ depth = 40 }, { depth = 5, length = 10 }]\n"
        .to_owned();
    let good = palisade(&(good + &block("gate", 40) + &block("row", 40)));
    let mut test = terraform().step(
        Step::apply(good)
            .has(it, "one.length", 80)
            .has(it, "row.0.id", "stake"),
    );
    for bad in [
        "  one = { depth = 39 }\n",
        "  many = [{ depth = 39 }]\n",
        &block("gate", 39),
        &block("row", 39),
    ] {
        test = test.step(Step::refused(palisade(bad), "is 39 deep of 80"));
    }
    test.run();
}

#[test]
fn the_configuration_of_a_provider_is_checked_without_its_defaults() {
    let with =
        |arguments: &str| format!("provider \"palisades\" {{\n{arguments}}}\n{}", palisade(""));
    terraform()
        .step(Step::apply(palisade("")))
        .step(Step::apply(with("  token = \"t\"\n")).plans_nothing())
        .step(Step::apply(with("  profile = \"guest\"\n")).plans_nothing())
        .step(Step::refused(
            with("  token = \"t\"\n  profile = \"guest\"\n"),
            "At most one of token, profile can be set",
        ))
        .step(Step::refused(
            with("  profile = \"root\"\n"),
            "Some(\"root\") is written, and the profile is Some(\"root\").",
        ))
        .run();
}
