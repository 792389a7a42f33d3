//! The command that brings a store under the operator's key.

use super::commands::WHO;
use super::open::Place;
use super::settings::EncryptArgs;
use crate::model::{AuditEntry, Timestamp};
use crate::store::encryption::{self, Encrypted, Share};
use crate::store::{Store, StoreError};

pub(super) async fn encrypt(args: EncryptArgs) -> Result<(), String> {
    let file = args.store.file()?;
    let place = Place::new(&args.store, &file)?;
    place.must_exist()?;
    let store = place
        .open(args.store.encryption.keyring(file.encryption())?)
        .await?;
    let say = |error: StoreError| error.to_string();
    if args.status {
        return status(&*store).await.map_err(say);
    }
    let Encrypted {
        rewrapped,
        rows,
        shares,
        left_over,
    } = encryption::encrypt(&*store, args.renew)
        .await
        .map_err(say)?;
    if rewrapped > 0 || rows > 0 {
        store.record(audit(rewrapped, rows)).await.map_err(say)?;
    }
    println!("{rewrapped} data keys rewrapped, {rows} rows encrypted.");
    show(&shares);
    if let Some(left_over) = left_over {
        println!("Note: {left_over}.");
    }
    Ok(())
}

fn audit(rewrapped: u64, rows: u64) -> AuditEntry {
    AuditEntry {
        at: Timestamp::now(),
        who: WHO.to_owned(),
        action: "store.encrypt".into(),
        organization: None,
        workspace: None,
        subject: "store".to_owned(),
        detail: format!("{rewrapped} data keys rewrapped, {rows} rows encrypted"),
    }
}

async fn status(store: &dyn Store) -> Result<(), StoreError> {
    let mut by: Vec<(String, usize)> = Vec::new();
    for key in store.data_keys().await? {
        match by.iter_mut().find(|(name, _)| *name == key.wrapped.by) {
            Some((_, count)) => *count += 1,
            None => by.push((key.wrapped.by, 1)),
        }
    }
    for (name, count) in by {
        println!("{count} data keys are wrapped with key {name}.");
    }
    show(&store.shares().await?);
    Ok(())
}

fn show(shares: &[Share]) {
    for Share {
        what,
        encrypted,
        plain,
    } in shares
    {
        println!("{what}: {encrypted} encrypted, {plain} plain");
    }
}
