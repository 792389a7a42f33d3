//! Bringing a whole store under the key that the operator has now.

use super::{Keyring, Sealing, Share, StoreError};
use crate::model::Timestamp;

/// An account of what was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encrypted {
    /// The number of data keys that another key wrapped before.
    pub rewrapped: u64,
    /// The number of rows that were encrypted.
    pub rows: u64,
    /// The shares that are encrypted now.
    pub shares: Vec<Share>,
    /// The reason why what was plain may still be in files.
    pub left_over: Option<String>,
}

/// Wraps every data key with the key that the operator has now, and encrypts all that is plain;
/// with `renew` everything, with a new data key. Servers may run meanwhile. Where it breaks off, it
/// goes on when it is run again.
///
/// # Errors
/// If the store or the key fails, or something does not open.
pub async fn encrypt(
    store: &(impl Sealing + ?Sized),
    renew: bool,
) -> Result<Encrypted, StoreError> {
    let keyring = store.keyring();
    let rewrapped = rewrap(store, keyring).await?;
    let key = if renew {
        Some(keyring.make(store, Timestamp::now()).await?)
    } else {
        keyring.current(store).await?
    };
    let Some(key) = key else {
        return Err(StoreError::new(format!(
            "no key was given; {}",
            super::NAME_ONE
        )));
    };
    let mut rows = 0;
    loop {
        let some = super::with_keys!(store, store.encrypt_some(&key, renew).await)?;
        if some == 0 {
            break;
        }
        rows += some;
    }
    let left_over = if rows == 0 { None } else { store.wipe().await? };
    Ok(Encrypted {
        rewrapped,
        rows,
        shares: store.shares().await?,
        left_over,
    })
}

async fn rewrap(store: &(impl Sealing + ?Sized), keyring: &Keyring) -> Result<u64, StoreError> {
    let Some(service) = keyring.service() else {
        return Err(StoreError::new(format!(
            "no key was given; {}",
            super::NAME_ONE
        )));
    };
    let mut rewrapped = 0;
    for stored in store.data_keys().await? {
        let key = service.unwrap(&stored.id, &stored.wrapped).await?;
        let wrapped = service.wrap(&stored.id, &key).await?;
        if wrapped.by != stored.wrapped.by && store.rewrap_data_key(&stored, &wrapped).await? {
            rewrapped += 1;
        }
    }
    Ok(rewrapped)
}
