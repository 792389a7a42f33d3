//! Events of three releases in an event store of cqrs-es, read by the last: `cargo run -p events`.
//!
//! Events are never rewritten, so that every release's are there for ever. Each kind is a document with a schema version of its own.

mod events;
mod stored;

use std::error::Error;

use cqrs_es::persist::PersistedEventStore;
use cqrs_es::{AggregateContext as _, EventStore as _};

use events::{Account, Upcaster};
use stored::Stored;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let stored = Stored::of_three_releases();
    for event in stored.events() {
        println!(
            "{} by {}: {}",
            event.sequence, event.event_version, event.payload
        );
    }
    let store = PersistedEventStore::<Stored, Account>::new_event_store(stored)
        .with_upcasters(vec![Box::new(Upcaster)]);
    for event in store.load_events("1").await? {
        println!("{}, now: {:?}", event.sequence, event.payload);
    }
    let mut context = store.load_aggregate("1").await?;
    println!("{:?}", context.aggregate());
    for event in store
        .commit(
            vec![Account::deposit(10)],
            context,
            std::collections::HashMap::new(),
        )
        .await?
    {
        println!(
            "{}, stored: {}",
            event.sequence,
            serde_json::to_string(&event.payload)?
        );
    }
    Ok(())
}
