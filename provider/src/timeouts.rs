//! The time for operations.

use std::future::Future;
use std::time::Duration;

use upstate::meaning::Period;
use upstate::{Diagnostics, Object};

use crate::diagnostics;

/// The time for each operation of a resource, as users write it: a field `timeouts` of many
/// resources.
///
/// ```
/// use std::time::Duration;
///
/// use upstate::{Diagnostics, Resource};
/// use upstate_provider::{Context, ManagedResource, Timeouts, within};
///
/// #[derive(Resource)]
/// #[resource(type_name = "harbor_dock")]
/// struct Dock {
///     name: String,
///     #[block]
///     timeouts: Option<Timeouts>,
/// }
///
/// impl ManagedResource for Dock {
///     type Client = ();
///
///     async fn create(plan: Self, context: &mut Context<()>) -> Result<Self, Diagnostics> {
///         let limit = plan.timeouts.unwrap_or_default().create_or(Duration::from_mins(20));
///         // What is built when the time is over is not forgotten.
///         context.save(&plan);
///         within(limit, dredged(&plan.name)).await?;
///         Ok(plan)
///     }
/// #   async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> { Ok(Some(state)) }
/// #   async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> { Ok(plan) }
/// #   async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> { Ok(()) }
/// }
/// # async fn dredged(_: &str) -> Result<(), Diagnostics> { Ok(()) }
/// ```
///
/// `#[block]` makes it the block `timeouts { create = "30m" }` that resources of Go providers have;
/// without it, it is an attribute, `timeouts = { create = "30m" }`. A resource that can do less
/// declares a struct of its own, with fields of the type [`Period`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Object)]
pub struct Timeouts {
    /// The time for the creation, such as "30m" or "1h15m".
    #[attribute(as_string)]
    pub create: Option<Period>,
    /// The time for reading, such as "30s" or "1m".
    #[attribute(as_string)]
    pub read: Option<Period>,
    /// The time for an update, such as "30m" or "1h15m".
    #[attribute(as_string)]
    pub update: Option<Period>,
    /// The time for the deletion, such as "30m" or "1h15m".
    #[attribute(as_string)]
    pub delete: Option<Period>,
}

impl Timeouts {
    /// The time for a creation; `otherwise` if the user does not say.
    pub fn create_or(self, otherwise: Duration) -> Duration {
        self.create.map_or(otherwise, Duration::from)
    }

    /// The time for reading; `otherwise` if the user does not say.
    pub fn read_or(self, otherwise: Duration) -> Duration {
        self.read.map_or(otherwise, Duration::from)
    }

    /// The time for an update; `otherwise` if the user does not say.
    pub fn update_or(self, otherwise: Duration) -> Duration {
        self.update.map_or(otherwise, Duration::from)
    }

    /// The time for a deletion; `otherwise` if the user does not say.
    pub fn delete_or(self, otherwise: Duration) -> Duration {
        self.delete.map_or(otherwise, Duration::from)
    }
}

/// Awaits some work for so long at most, as [`Timeouts`] say.
///
/// When the time is over the work is given up at its next `await`, and the answer is an error; code
/// that blocks runs on, and nobody waits for it any longer only where it is in a task of its own.
///
/// # Errors
/// The work failed, or took longer.
pub async fn within<T, E>(
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, Diagnostics>
where
    Diagnostics: From<E>,
{
    if let Ok(done) = tokio::time::timeout(limit, work).await {
        return Ok(done?);
    }
    let limit = Period::new(limit).map_or_else(|| format!("{limit:?}"), |limit| limit.to_string());
    Err(diagnostics::timeout(&limit).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configured_timeout_counts() {
        let timeouts = Timeouts {
            create: "90s".parse().ok(),
            ..Timeouts::default()
        };
        let otherwise = Duration::from_secs(1);
        assert_eq!(timeouts.create_or(otherwise), Duration::from_secs(90));
        for of in [Timeouts::read_or, Timeouts::update_or, Timeouts::delete_or] {
            assert_eq!(of(timeouts, otherwise), otherwise);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn work_is_given_up_when_the_time_is_over() {
        let done = async |seconds| {
            let work = async {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                if seconds == 1 {
                    Err("broken".to_owned())
                } else {
                    Ok(seconds)
                }
            };
            within(Duration::from_secs(90), work)
                .await
                .map_err(|errors| errors.to_string())
        };
        assert_eq!(done(89).await, Ok(89));
        assert!(done(1).await.unwrap_err().ends_with("broken"));
        let late = done(91).await.unwrap_err();
        assert!(
            late.starts_with(
                "error: Timeout\nIt took longer than 1m30s, so the provider stopped waiting."
            ),
            "{late}"
        );
    }
}
