//! `linode/linode`.

use std::collections::BTreeMap;

use upstate::{AttributePath, Diagnostic, Object, Resource};

use super::blocks::{below, parse_or_zero, path};

/// A port of a load balancer.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "linode_nodebalancer_config", version = 1)]
#[upgrade_from(0, model = NodebalancerConfigV0)]
pub struct NodebalancerConfig {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub node_status: Option<Vec<NodeStatus>>,
    #[attribute(sensitive)]
    pub ssl_key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct NodeStatus {
    pub down: i64,
    pub up: i64,
}

/// The port while its counts were strings in a map.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "linode_nodebalancer_config", version = 0)]
pub struct NodebalancerConfigV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub node_status: Option<BTreeMap<String, String>>,
    #[attribute(sensitive)]
    pub ssl_key: Option<String>,
}

impl TryFrom<NodebalancerConfigV0> for NodebalancerConfig {
    type Error = Diagnostic;

    fn try_from(prior: NodebalancerConfigV0) -> Result<Self, Self::Error> {
        let node_status = match prior.node_status {
            Some(counts) => Some(vec![
                NodeStatus::try_from(counts).map_err(|error| below(path("node_status"), error))?,
            ]),
            None => None,
        };
        Ok(Self {
            id: prior.id,
            node_status,
            ssl_key: prior.ssl_key,
        })
    }
}

impl TryFrom<BTreeMap<String, String>> for NodeStatus {
    type Error = Diagnostic;

    fn try_from(mut counts: BTreeMap<String, String>) -> Result<Self, Self::Error> {
        let status = Self {
            down: parse_or_zero("down", counts.remove("down"))?.unwrap_or_default(),
            up: parse_or_zero("up", counts.remove("up"))?.unwrap_or_default(),
        };
        match counts.pop_first() {
            None => Ok(status),
            Some((key, _)) => {
                let detail = "Only `up` and `down` have a place in the current version; dropping this one would lose it.";
                Err(Diagnostic::error("Unknown Count", detail).at(AttributePath::new().key(key)))
            }
        }
    }
}
