//! The audit log by webhook: lines of JSON, in order, each at least once.
//!
//! A receiver gets batches one after the other, and the store keeps the number of the last line
//! that it has. Of several servers on a store one delivers, for as long as it says so again and
//! again; a request ends before that time does, so that two never deliver at once.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::{Client, StatusCode, Url};
use sha2::{Digest as _, Sha256};

use super::{Failure, Service};
use crate::causes::with_causes;
use crate::content::hex;
use crate::identity::{self, Reach};
use crate::model::Timestamp;

/// The most lines of a request.
const MOST: u32 = 500;

/// The longest time of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest pause after failures.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// The setting that allows other addresses than public ones.
const FLAG: &str = "--audit-webhook-internal";

/// A receiver of the audit log.
#[derive(Clone)]
pub struct Webhook {
    url: Url,
    key: Vec<u8>,
    reach: Reach,
    /// The pause after the last line; after failures it doubles each time.
    pub pause: Duration,
}

/// Without the key, and without the URL, which may hold a secret.
impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook")
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

impl Webhook {
    /// A receiver at a URL, with the key for its signatures, 24 to 64 bytes in base64. One that is
    /// internal may be at any address.
    ///
    /// # Errors
    /// The reason why it cannot be one.
    pub fn new(url: &str, key: &str, is_internal: bool) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|_| "--audit-webhook is not a URL".to_owned())?;
        let reach = identity::reach(&url, is_internal, FLAG)
            .map_err(|why| format!("--audit-webhook: {why}"))?;
        let key = key.trim();
        let key = STANDARD
            .decode(key.strip_prefix("whsec_").unwrap_or(key))
            .unwrap_or_default();
        if !(24..=64).contains(&key.len()) {
            return Err(
                "the key of --audit-webhook must be 24 to 64 bytes in base64; `openssl rand -base64 32` makes one".to_owned()
            );
        }
        Ok(Self {
            url,
            key,
            reach,
            pause: Duration::from_secs(1),
        })
    }

    /// Its name in the store. The URL may hold a secret.
    fn target(&self) -> String {
        hex(&Sha256::digest(self.url.as_str()))
    }

    fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The signature of a message, as "Standard Webhooks" have it.
    fn signature(&self, id: &str, seconds: i64, body: &str) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(&self.key);
        // It does not fail, because HMAC takes keys of every length.
        mac.map_or_else(
            |_| String::new(),
            |mac| {
                let signed = mac
                    .chain_update(format!("{id}.{seconds}."))
                    .chain_update(body)
                    .finalize();
                format!("v1,{}", STANDARD.encode(signed.into_bytes()))
            },
        )
    }
}

/// The result of one round.
enum Round {
    /// The receiver has more lines than before.
    Delivered,
    /// The next request has fewer lines.
    TooMany,
    /// No line is new.
    Nothing,
    /// Another server delivers.
    Elsewhere,
}

/// The reason why a receiver did not take lines.
enum Refused {
    /// They are too many for it.
    TooLarge,
    Other(String),
}

/// The state of a delivery between two rounds.
struct Delivery<'a> {
    webhook: &'a Webhook,
    client: Client,
    target: String,
    holder: &'a str,
    /// Until when this server delivers.
    until: Option<Timestamp>,
    /// The number of the last line that the receiver has.
    last: i64,
    /// The most lines of the next request.
    most: u32,
}

impl Service {
    /// Delivers the audit log for ever, if there is a receiver, in the name of this process.
    pub async fn keep_delivering(&self, holder: &str) {
        let Some(webhook) = &self.conduct.webhook else {
            return;
        };
        let client = match webhook.reach.client(self.patience()) {
            Ok(client) => client,
            Err(why) => return tracing::error!(why, "the audit log is not delivered"),
        };
        let target = webhook.target();
        let mut delivery = Delivery {
            webhook,
            client,
            target,
            holder,
            until: None,
            last: 0,
            most: MOST,
        };
        let mut failures = 0_u32;
        loop {
            let round = self.deliver(&mut delivery).await;
            let pause = match round {
                Ok(Round::Delivered | Round::TooMany) => Duration::ZERO,
                Ok(Round::Nothing) => webhook.pause,
                // It looks again before long, since the other server may be killed.
                Ok(Round::Elsewhere) => webhook.pause.saturating_mul(10),
                Err(why) => {
                    failures = failures.saturating_add(1);
                    metrics::counter!("upstate_audit_webhook_failures_total").increment(1);
                    let pause = webhook
                        .pause
                        .saturating_mul(1 << (failures - 1).min(16))
                        .min(LONGEST_PAUSE);
                    let (host, seconds) = (webhook.host(), pause.as_secs());
                    tracing::warn!(
                        host,
                        why,
                        failures,
                        seconds,
                        "the audit log was not delivered, and will be again"
                    );
                    tokio::time::sleep(pause).await;
                    continue;
                }
            };
            failures = 0;
            tokio::time::sleep(pause).await;
        }
    }

    /// Lets other servers deliver the audit log at once.
    pub async fn stop_delivering(&self, holder: &str) -> Result<(), Failure> {
        if let Some(webhook) = &self.conduct.webhook {
            self.store
                .release_delivery(&webhook.target(), holder)
                .await?;
        }
        Ok(())
    }

    /// The number of the last line of the audit log that may be removed; `None`: all may.
    pub(super) async fn removable_audit(&self) -> Result<Option<i64>, Failure> {
        match &self.conduct.webhook {
            Some(webhook) => Ok(Some(self.store.delivered(&webhook.target()).await?)),
            None => Ok(None),
        }
    }

    /// The longest time of a request: it ends before another server may deliver.
    fn patience(&self) -> Duration {
        PATIENCE.min(self.conduct.lease / 3)
    }

    /// Delivers the next lines.
    async fn deliver(&self, delivery: &mut Delivery<'_>) -> Result<Round, String> {
        let lag = metrics::gauge!("upstate_audit_webhook_lag_seconds");
        let now = self.now();
        if delivery
            .until
            .is_none_or(|until| until <= now.after(self.conduct.lease / 2))
        {
            let until = now.after(self.conduct.lease);
            let claimed = self
                .store
                .claim_delivery(&delivery.target, delivery.holder, until, now)
                .await;
            let Some(last) = claimed.map_err(|error| error.to_string())? else {
                delivery.until = None;
                lag.set(0.0);
                return Ok(Round::Elsewhere);
            };
            (delivery.until, delivery.last) = (Some(until), last);
        }
        let lines = self
            .store
            .audit_after(None, delivery.last, delivery.most)
            .await
            .map_err(|error| error.to_string())?;
        let (Some((first, oldest)), Some((last, _))) = (lines.first(), lines.last()) else {
            lag.set(0.0);
            return Ok(Round::Nothing);
        };
        // A gauge keeps 32 bits exactly, otherwise it rounds.
        let seconds = u32::try_from(
            now.as_seconds()
                .saturating_sub(oldest.at.as_seconds())
                .max(0),
        )
        .unwrap_or(u32::MAX);
        lag.set(f64::from(seconds));
        let mut body = String::new();
        for (seq, entry) in &lines {
            body.push_str(&entry.to_json(*seq).to_string());
            body.push('\n');
        }
        match send(
            delivery,
            &format!("audit-{first}-{last}"),
            now.as_seconds(),
            body,
        )
        .await
        {
            Ok(()) => {}
            Err(Refused::TooLarge) if lines.len() > 1 => {
                delivery.most = u32::try_from(lines.len() / 2).unwrap_or(1).max(1);
                return Ok(Round::TooMany);
            }
            Err(Refused::TooLarge) => return Err("one line is too large for it".to_owned()),
            Err(Refused::Other(why)) => return Err(why),
        }
        let advanced = self
            .store
            .advance_delivery(&delivery.target, delivery.holder, *last)
            .await;
        if !advanced.map_err(|error| error.to_string())? {
            delivery.until = None;
            return Ok(Round::Elsewhere);
        }
        metrics::counter!("upstate_audit_webhook_lines_total")
            .increment(u64::try_from(lines.len()).unwrap_or_default());
        (delivery.last, delivery.most) = (*last, delivery.most.saturating_mul(2).min(MOST));
        Ok(Round::Delivered)
    }
}

/// Sends lines; only a status of success says that the receiver has them.
async fn send(
    delivery: &Delivery<'_>,
    id: &str,
    seconds: i64,
    body: String,
) -> Result<(), Refused> {
    let Delivery {
        webhook, client, ..
    } = delivery;
    let request = client
        .post(webhook.url.clone())
        .header("content-type", "application/x-ndjson")
        .header(
            "user-agent",
            concat!("upstate-server/", env!("CARGO_PKG_VERSION")),
        )
        .header("webhook-id", id)
        .header("webhook-timestamp", seconds)
        .header("webhook-signature", webhook.signature(id, seconds, &body))
        .body(body);
    // Without the URL, which may hold a secret.
    let answer = request.send().await.map_err(|error| {
        let reason = if error.is_timeout() {
            "it does not answer in time".to_owned()
        } else {
            with_causes(&error.without_url())
        };
        Refused::Other(reason)
    })?;
    match answer.status() {
        status if status.is_success() => Ok(()),
        StatusCode::PAYLOAD_TOO_LARGE => Err(Refused::TooLarge),
        status => Err(Refused::Other(format!("it answers {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_standard() {
        // The reference of "Standard Webhooks" has this example, so that its clients verify ours.
        let key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let webhook = Webhook::new("https://siem.example.com/in?token=hunter22", key, false)
            .expect("a receiver");
        let signature = webhook.signature(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let shown = format!("{webhook:?}");
        assert!(
            shown.contains("siem.example.com") && !shown.contains("hunter22"),
            "{shown}"
        );
    }

    #[test]
    fn only_receivers_that_may_be_reached_are_taken() {
        let key = STANDARD.encode([7; 32]);
        let made = |url: &str, is_internal: bool| Webhook::new(url, &key, is_internal).map(drop);
        for (url, is_internal) in [
            ("https://siem.example.com/x", false),
            ("https://10.0.0.1/x", true),
            ("http://127.0.0.1:9/x", true),
        ] {
            assert_eq!(made(url, is_internal), Ok(()), "{url}");
        }
        for (url, is_internal, why) in [
            ("https://10.0.0.1/x", false, FLAG),
            ("https://169.254.169.254/latest", false, FLAG),
            ("http://127.0.0.1:9/x", false, "https://"),
            ("http://siem.corp/x", true, "https://"),
            ("siem", true, "not a URL"),
        ] {
            let refused = made(url, is_internal).expect_err(url);
            assert!(refused.contains(why), "{refused}");
        }
        for key in [
            "",
            "short",
            "c2hvcnQ=",
            "not base64 at all, but long enough",
        ] {
            let refused =
                Webhook::new("https://siem.example.com", key, false).expect_err("refused");
            assert!(refused.contains("openssl rand -base64 32"), "{refused}");
        }
    }
}
