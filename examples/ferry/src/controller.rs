//! Keeps a timetable beside each boat: a `ConfigMap` with the minutes after which each port is reached.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ObjectMeta, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Api, Client, Resource as _, ResourceExt as _};
use serde_json::json;

use crate::boat::Boat;

/// The name of the controller as an owner of fields.
const MANAGER: &str = "ferry";

/// The timetable of a boat.
#[must_use]
pub fn timetable(boat: &Boat) -> ConfigMap {
    let mut minutes = 0_u32;
    let times = boat.spec.stops.iter().map(|stop| {
        minutes += u32::from(stop.minutes);
        (stop.port.clone(), minutes.to_string())
    });
    let times: BTreeMap<String, String> = times.collect();
    let metadata = ObjectMeta {
        name: Some(format!("{}-timetable", boat.name_any())),
        namespace: boat.namespace(),
        // It goes with the boat.
        owner_references: boat.controller_owner_ref(&()).map(|owner| vec![owner]),
        ..ObjectMeta::default()
    };
    ConfigMap {
        metadata,
        data: Some(times),
        ..ConfigMap::default()
    }
}

/// Writes the timetable and the status of a boat.
///
/// # Errors
/// The server refuses one of them.
pub async fn reconcile(boat: Arc<Boat>, client: Arc<Client>) -> kube::Result<Action> {
    let namespace = boat.namespace().unwrap_or_default();
    let timetable = timetable(&boat);
    let timetables: Api<ConfigMap> = Api::namespaced(Client::clone(&client), &namespace);
    let parameters = PatchParams::apply(MANAGER).force();
    timetables
        .patch(
            &timetable.name_any(),
            &parameters,
            &Patch::Apply(&timetable),
        )
        .await?;
    let boats: Api<Boat> = Api::namespaced(Client::clone(&client), &namespace);
    let status = json!({"status": {"stops": boat.spec.stops.len()}});
    boats
        .patch_status(
            &boat.name_any(),
            &PatchParams::default(),
            &Patch::Merge(&status),
        )
        .await?;
    Ok(Action::requeue(Duration::from_mins(10)))
}

/// Reconciles all boats until the program is asked to end.
pub async fn control(client: Client) {
    let boats: Api<Boat> = Api::all(client.clone());
    let timetables: Api<ConfigMap> = Api::all(client.clone());
    let later = |_: Arc<Boat>, error: &kube::Error, _: Arc<Client>| {
        tracing::warn!(%error, "a boat was not reconciled");
        Action::requeue(Duration::from_secs(10))
    };
    let controller = Controller::new(boats, watcher::Config::default())
        .owns(timetables, watcher::Config::default());
    let reconciled = controller
        .shutdown_on_signal()
        .run(reconcile, later, Arc::new(client));
    reconciled
        .for_each(|result| async move {
            if let Err(error) = result {
                tracing::warn!(%error, "an event was not reconciled");
            }
        })
        .await;
}
