//! The number of connections, in all and from each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

use crate::traffic::TrustedProxies;

/// The number of connections that are accepted beyond those served: those who ask for health are
/// answered, and others wait there for their turn.
const WAITING: usize = 64;

/// The greatest number of connections.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    most: usize,
    of_one_address: usize,
    trusted: TrustedProxies,
}

impl Limits {
    /// The number in all; and that from one address that is not a trusted proxy, a quarter of all
    /// by default.
    pub(crate) fn new(most: usize, of_one_address: Option<usize>, trusted: TrustedProxies) -> Self {
        let of_one_address = of_one_address.unwrap_or((most / 4).max(16)).max(1);
        Self {
            most: most.clamp(1, Semaphore::MAX_PERMITS - WAITING),
            of_one_address,
            trusted,
        }
    }
}

/// The connections that are open.
#[derive(Debug)]
pub(super) struct Places {
    limits: Limits,
    accepted: Arc<Semaphore>,
    served: Arc<Semaphore>,
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    address: IpAddr,
    served: OnceCell<OwnedSemaphorePermit>,
    _waiting: Option<OwnedSemaphorePermit>,
}

impl Places {
    pub(super) fn new(limits: Limits) -> Self {
        let accepted = Arc::new(Semaphore::new(limits.most + WAITING));
        let served = Arc::new(Semaphore::new(limits.most));
        Self {
            limits,
            accepted,
            served,
            by_address: Mutex::default(),
        }
    }

    /// Waits until one more connection can be accepted.
    pub(super) async fn waiting(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.accepted).acquire_owned().await.ok()
    }

    /// A place for a connection from an address, unless that has as many as it may have.
    pub(super) fn take(
        self: &Arc<Self>,
        address: IpAddr,
        waiting: Option<OwnedSemaphorePermit>,
    ) -> Option<Place> {
        let address = address.to_canonical();
        let mut all = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let count = all.entry(address).or_default();
        if *count >= self.limits.of_one_address && !self.limits.trusted.has(address) {
            return None;
        }
        *count += 1;
        drop(all);
        // One that is served at once, if it can be: a connection that only waits to be used has its
        // place, too.
        let served = OnceCell::new_with(Arc::clone(&self.served).try_acquire_owned().ok());
        Some(Place {
            places: Arc::clone(self),
            address,
            served,
            _waiting: waiting,
        })
    }
}

impl Place {
    /// Waits until the connection is one of those that are served. It stays one.
    pub(super) async fn served(&self) {
        let permit = || Arc::clone(&self.places.served).acquire_owned();
        // The semaphore is never closed.
        let _ = self.served.get_or_try_init(permit).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self
            .places
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.address) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                all.remove(&self.address);
            }
        }
    }
}
