//! What a provider serves besides resources, from two releases of models to the finding: data
//! sources, functions, configurations, identities.

#![allow(clippy::unwrap_used, dead_code, reason = "tests")]

mod functions;
mod identities;
mod lock;
mod models;

use upstate::Registry;
use upstate::registry::{Served, ServedKind, Signature};
use upstate::schema::{Schema, Type};
use upstate::{AttributeType, CurrentModel};
use upstate_compat::lock::Lock;
use upstate_compat::{Guide, Options, Report, Snapshot, compare};

/// The comparison of two releases; what was released comes out of a lock, as it does for users.
fn report(old: &Registry, new: &Registry) -> Report {
    let lock = Lock::parse(&locked(old).to_string()).unwrap();
    let new = lock
        .completed(Snapshot::of(new))
        .at("1.1.0".parse().unwrap());
    compare(&lock.baseline(), &new, &Options::default())
}

fn locked(registry: &Registry) -> Lock {
    let mut lock = Lock::default();
    lock.freeze(&Snapshot::of(registry), "1.0.0".parse().unwrap())
        .unwrap();
    lock
}

/// The findings about something: level, rule, release and place of each.
fn findings(old: &Registry, new: &Registry) -> Vec<String> {
    let report = report(old, new);
    let about = report
        .findings
        .iter()
        .filter(|finding| !finding.resource.is_empty());
    about
        .map(|it| {
            format!(
                "{} {} {} {}",
                it.level.name(),
                it.rule.id(),
                it.semver,
                it.place()
            )
        })
        .collect()
}

fn of<T: CurrentModel>(kind: ServedKind) -> Registry {
    let mut registry = Registry::new();
    registry.serve(Served::model::<T>(kind));
    registry
}

fn config<T: upstate::Object>(kind: ServedKind) -> Registry {
    let mut registry = Registry::new();
    registry.serve(Served::new(kind, "", Schema::of::<T>()));
    registry
}

fn function<T: CurrentModel, R: AttributeType>(parameters: &[&str], variadic: bool) -> Registry {
    let mut registry = Registry::new();
    let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
    let signature = Signature {
        parameters,
        variadic,
        result: Type::of::<R>(),
    };
    registry.serve(Served::function("fits", T::schema(), signature));
    registry
}

fn guide(old: &Registry, new: &Registry) -> String {
    Guide::new(&report(old, new), &[]).entries_markdown()
}
