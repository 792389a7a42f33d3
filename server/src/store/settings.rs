//! Settings that are there or not.

use super::session::{Done, Session, params};

/// Sets one; whether it was not set before.
pub(super) async fn set(s: &mut dyn Session, name: &str) -> Done<bool> {
    let sql = "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    Ok(s.run(sql, &params![name, vec![0_u8]]).await? > 0)
}

pub(super) async fn is_set(s: &mut dyn Session, name: &str) -> Done<bool> {
    Ok(
        s.maybe("SELECT 1 FROM setting WHERE name = $1", &params![name])
            .await?
            .is_some(),
    )
}
