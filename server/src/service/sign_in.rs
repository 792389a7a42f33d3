//! Signing in from outside, and what is refused: both are noted, and after many failures a client
//! has to wait.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{Failure, Service};
use crate::model::{AuditEntry, Principal, Timestamp};
use crate::rules::{Refusal, RefusalKind};

/// For how long failures count.
const WHILE: Duration = Duration::from_mins(1);

/// The number of failures from one address that are answered one by one, each with a line in the
/// audit log.
const MOST: u32 = 20;

/// The number of addresses that are remembered; otherwise they could fill the memory.
const ADDRESSES: usize = 10_000;

/// The failed sign-ins of each address.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<IpAddr, (Timestamp, u32)>>);

impl Failures {
    /// Counts one more; how many there were since the first one, within [`WHILE`].
    fn count(&self, from: IpAddr, now: Timestamp) -> u32 {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let old = now.before(WHILE);
        if all.len() >= ADDRESSES {
            all.retain(|_, (since, _)| *since > old);
            if all.len() >= ADDRESSES {
                all.clear();
            }
        }
        let (since, count) = all.entry(network(from)).or_insert((now, 0));
        if *since <= old {
            (*since, *count) = (now, 0);
        }
        *count = count.saturating_add(1);
        *count
    }
}

/// The addresses of one client: of IPv6 that is a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(whole) => {
            let [a, b, c, d, ..] = whole.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

impl Service {
    /// For whom a token speaks that came from an address. A good token is never refused for the bad
    /// ones of others at the same address.
    pub async fn sign_in(&self, secret: &str, from: Option<IpAddr>) -> Result<Principal, Failure> {
        self.signed_in(self.authenticate(secret).await, from).await
    }

    /// For whom the session of a browser speaks, or a token that is kept in one.
    pub async fn sign_in_session(
        &self,
        secret: &str,
        from: Option<IpAddr>,
    ) -> Result<Principal, Failure> {
        self.signed_in(self.authenticate_session(secret).await, from)
            .await
    }

    async fn signed_in(
        &self,
        found: Result<Principal, Failure>,
        from: Option<IpAddr>,
    ) -> Result<Principal, Failure> {
        match found {
            Ok(principal) => Ok(Principal { from, ..principal }),
            Err(Failure::Refused(refusal)) => Err(self.failed(refusal, from).await.into()),
            Err(failure) => Err(failure),
        }
    }

    /// Notes that somebody tried what they may not do. `what` is a method and a path, without the
    /// query, which may be a signature.
    pub async fn note_refused(
        &self,
        principal: Option<&Principal>,
        from: Option<IpAddr>,
        what: &str,
    ) {
        metrics::counter!("upstate_refusals_total").increment(1);
        let at = self.now();
        let count = from.map_or(1, |from| self.refusals.count(from, at));
        if count > MOST {
            return;
        }
        let last = if count == MOST {
            "further ones from there within a minute are not listed"
        } else {
            ""
        };
        let who = match (principal, from) {
            (Some(principal), _) => super::who(principal),
            (None, Some(from)) => format!("nobody from {from}"),
            (None, None) => "nobody".to_owned(),
        };
        let organization = match principal.map(Principal::organizations).as_deref() {
            Some([only]) => Some((*only).clone()),
            Some(_) | None => None,
        };
        self.note(AuditEntry {
            at,
            who,
            action: Cow::Borrowed("access.refuse"),
            organization,
            workspace: None,
            subject: what.chars().take(200).collect(),
            detail: last.to_owned(),
        })
        .await;
    }

    pub(super) async fn failed(&self, refusal: Refusal, from: Option<IpAddr>) -> Refusal {
        let entry = AuditEntry {
            at: self.now(),
            who: from.map_or_else(|| "nobody".to_owned(), |from| format!("nobody from {from}")),
            action: Cow::Borrowed("sign-in.fail"),
            organization: None,
            workspace: None,
            subject: String::new(),
            detail: refusal.detail.clone(),
        };
        self.refused_with(entry, refusal, from).await
    }

    /// Counts a failed sign-in, and notes it unless there were too many.
    pub(super) async fn refused_with(
        &self,
        entry: AuditEntry,
        refusal: Refusal,
        from: Option<IpAddr>,
    ) -> Refusal {
        metrics::counter!("upstate_sign_in_failures_total").increment(1);
        let count = from.map_or(1, |from| self.failures.count(from, entry.at));
        if count <= MOST {
            let last = if count == MOST {
                "; further ones within a minute are not listed"
            } else {
                ""
            };
            self.note(AuditEntry {
                detail: format!("{}{last}", entry.detail),
                ..entry
            })
            .await;
            return refusal;
        }
        let detail = format!(
            "{}. More than {MOST} sign-ins from your address failed within a minute; wait one",
            refusal.detail
        );
        Refusal::new(RefusalKind::TooMany, detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_address_and_forgotten() {
        let failures = Failures::default();
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let at = |seconds: i64| Timestamp::from_millis(1_700_000_000_000 + seconds * 1000);
        assert_eq!(
            [
                failures.count(one, at(0)),
                failures.count(one, at(1)),
                failures.count(other, at(2))
            ],
            [1, 2, 1]
        );
        assert_eq!(failures.count(one, at(61)), 1);
        let [near, far]: [IpAddr; 2] =
            ["2001:db8::1", "2001:db8:1::1"].map(|text| text.parse().expect("an address"));
        assert_eq!(
            [
                failures.count(near, at(0)),
                failures.count(near, at(0)),
                failures.count(far, at(0))
            ],
            [1, 2, 1]
        );
        for number in 0..30_000_u32 {
            failures.count(IpAddr::from(number.to_be_bytes()), at(100));
        }
        assert!(failures.0.lock().expect("a map").len() <= ADDRESSES);
    }
}
