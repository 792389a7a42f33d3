//! `launchdarkly/launchdarkly`.

mod metric;
mod project;

pub use metric::{Metric, MetricUrl};
pub use project::{ApprovalSettings, ClientSideAvailability, Environment, EnvironmentV0, Project};
