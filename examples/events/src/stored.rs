//! An event store in memory, with the events of three releases.

use std::sync::{Mutex, PoisonError};

use cqrs_es::Aggregate;
use cqrs_es::persist::{
    PersistedEventRepository, PersistenceError, ReplayStream, SerializedEvent, SerializedSnapshot,
};
use serde_json::{Value, json};

/// The events, in the order in which they were stored.
pub(crate) struct Stored(Mutex<Vec<SerializedEvent>>);

impl Stored {
    pub(crate) fn of_three_releases() -> Self {
        let events = [
            // Release 1 stored enums of serde.
            ("Deposited", "1.0", json!({"Deposited": {"dollars": 5}})),
            // Release 2 stores documents.
            (
                "account_opened",
                "0",
                json!({"type": "account_opened", "schema_version": 0, "data": {"name": "ada"}}),
            ),
            (
                "money_deposited",
                "1",
                json!({"type": "money_deposited", "schema_version": 1, "data": {"cents": 25}}),
            ),
            // Release 3 renamed the owner.
            (
                "account_opened",
                "1",
                json!({"type": "account_opened", "schema_version": 1, "data": {"owner": "ada lovelace"}}),
            ),
        ];
        let stored =
            events
                .into_iter()
                .enumerate()
                .map(|(index, (event_type, version, payload))| {
                    let (id, kind) = ("1".to_owned(), "account".to_owned());
                    SerializedEvent::new(
                        id,
                        index + 1,
                        kind,
                        event_type.to_owned(),
                        version.to_owned(),
                        payload,
                        json!({}),
                    )
                });
        Self(Mutex::new(stored.collect()))
    }

    pub(crate) fn events(&self) -> Vec<SerializedEvent> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl PersistedEventRepository for Stored {
    async fn get_events<A: Aggregate>(
        &self,
        id: &str,
    ) -> Result<Vec<SerializedEvent>, PersistenceError> {
        Ok(self
            .events()
            .into_iter()
            .filter(|event| event.aggregate_id == id)
            .collect())
    }

    async fn get_last_events<A: Aggregate>(
        &self,
        id: &str,
        last: usize,
    ) -> Result<Vec<SerializedEvent>, PersistenceError> {
        let events = self.get_events::<A>(id).await?;
        Ok(events
            .into_iter()
            .filter(|event| event.sequence > last)
            .collect())
    }

    async fn get_snapshot<A: Aggregate>(
        &self,
        _: &str,
    ) -> Result<Option<SerializedSnapshot>, PersistenceError> {
        Ok(None)
    }

    async fn persist<A: Aggregate>(
        &self,
        events: &[SerializedEvent],
        _: Option<(String, Value, usize)>,
    ) -> Result<(), PersistenceError> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(events);
        Ok(())
    }

    async fn stream_events<A: Aggregate>(
        &self,
        id: &str,
    ) -> Result<ReplayStream, PersistenceError> {
        let events = self.get_events::<A>(id).await?;
        streamed(events).await
    }

    async fn stream_all_events<A: Aggregate>(&self) -> Result<ReplayStream, PersistenceError> {
        streamed(self.events()).await
    }
}

async fn streamed(events: Vec<SerializedEvent>) -> Result<ReplayStream, PersistenceError> {
    let (mut feed, stream) = ReplayStream::new(events.len().max(1));
    for event in events {
        feed.push(Ok(event)).await?;
    }
    Ok(stream)
}
