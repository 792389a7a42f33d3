//! Counters of the webhook, in the text form of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::review::Answer;

/// The upper ends of the buckets of times, in microseconds.
const BUCKETS: [u64; 8] = [100, 250, 1_000, 2_500, 10_000, 50_000, 250_000, 1_000_000];

/// All counters.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    converted: AtomicU64,
    failed: AtomicU64,
    refused: AtomicU64,
    objects: AtomicU64,
    restored: AtomicU64,
    superseded: AtomicU64,
    ignored: AtomicU64,
    lost: AtomicU64,
    buckets: [AtomicU64; BUCKETS.len()],
    micros: AtomicU64,
}

fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(count as u64, Ordering::Relaxed);
}

impl Metrics {
    /// Counts an answer, and the time that it took.
    pub(super) fn answered(&self, answer: &Answer, took: Duration) {
        let outcome = if answer.failure().is_none() {
            &self.converted
        } else {
            &self.failed
        };
        for (counter, count) in [
            (outcome, 1),
            (&self.objects, answer.converted()),
            (&self.restored, answer.restored()),
            (&self.superseded, answer.superseded()),
            (&self.ignored, answer.ignored()),
            (&self.lost, answer.lost()),
        ] {
            add(counter, count);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        if let Some((_, bucket)) = BUCKETS
            .iter()
            .zip(&self.buckets)
            .find(|(end, _)| micros <= **end)
        {
            add(bucket, 1);
        }
    }

    /// Counts bytes that are not a review.
    pub(super) fn refused(&self) {
        add(&self.refused, 1);
    }

    /// The counters as Prometheus reads them.
    pub(super) fn text(&self) -> String {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut text = String::new();
        text.push_str("# HELP upstate_kube_reviews_total Reviews by outcome.\n# TYPE upstate_kube_reviews_total counter\n");
        let (converted, failed) = (read(&self.converted), read(&self.failed));
        for (outcome, count) in [
            ("converted", converted),
            ("failed", failed),
            ("refused", read(&self.refused)),
        ] {
            let _ = writeln!(
                text,
                "upstate_kube_reviews_total{{outcome=\"{outcome}\"}} {count}"
            );
        }
        text.push_str("# HELP upstate_kube_objects_total Objects in answers.\n# TYPE upstate_kube_objects_total counter\n");
        let _ = writeln!(text, "upstate_kube_objects_total {}", read(&self.objects));
        text.push_str(
            "# HELP upstate_kube_kept_values_total Values in annotations by outcome.\n# TYPE upstate_kube_kept_values_total counter\n",
        );
        let fates = [
            ("restored", &self.restored),
            ("superseded", &self.superseded),
            ("ignored", &self.ignored),
            ("lost", &self.lost),
        ];
        for (fate, counter) in fates {
            let _ = writeln!(
                text,
                "upstate_kube_kept_values_total{{fate=\"{fate}\"}} {}",
                read(counter)
            );
        }
        text.push_str(
            "# HELP upstate_kube_review_seconds The time of a conversion.\n# TYPE upstate_kube_review_seconds histogram\n",
        );
        let mut count = 0;
        for (end, bucket) in BUCKETS.iter().zip(&self.buckets) {
            count += read(bucket);
            let _ = writeln!(
                text,
                "upstate_kube_review_seconds_bucket{{le=\"{}\"}} {count}",
                seconds(*end)
            );
        }
        let all = converted + failed;
        let _ = writeln!(
            text,
            "upstate_kube_review_seconds_bucket{{le=\"+Inf\"}} {all}"
        );
        let _ = writeln!(
            text,
            "upstate_kube_review_seconds_sum {}",
            seconds(read(&self.micros))
        );
        let _ = writeln!(text, "upstate_kube_review_seconds_count {all}");
        text
    }
}

fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}
