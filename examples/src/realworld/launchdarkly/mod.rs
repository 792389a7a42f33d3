//! `launchdarkly/launchdarkly`.

mod metric;
mod project;

pub use metric::{Metric, MetricUrl, MetricV1};
pub use project::{ApprovalSettings, ClientSideAvailability, Environment, EnvironmentV0, Project, ProjectV0};
