//! A resource whose model rewrites much of what it is given, and whose functions block.

use std::net::IpAddr;
use std::thread;
use std::time::Duration;

use upstate::meaning::{Cidr, IgnoreCase, JsonText, Timestamp};
use upstate::{Diagnostics, Number, Object, Resource, UpgradeContext, ZeroAsNull};
use upstate_provider::{Context, ManagedResource};

use super::quay::Client;

/// Stored in capitals.
mod capitals {
    #[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
    pub(super) fn read(stored: Option<String>) -> Result<Option<String>, &'static str> {
        Ok(stored.map(|text| text.to_uppercase()))
    }

    #[expect(clippy::ref_option, reason = "as the derive calls it")]
    pub(super) fn write(value: &Option<String>) -> Option<String> {
        value.clone()
    }
}

/// What a gauge shows.
#[derive(Debug, Clone, PartialEq, Object)]
struct Reading {
    #[attribute(computed)]
    id: Option<String>,
    ratio: f64,
}

/// Where its readings go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Object)]
struct Host {
    #[attribute(computed)]
    id: Option<String>,
    #[attribute(as_string)]
    address: IpAddr,
}

/// Until when it logs.
#[derive(Debug, Clone, PartialEq, Object)]
struct Log {
    #[attribute(length = 1..=3)]
    name: String,
    #[attribute(as_string)]
    until: Timestamp,
}

/// A gauge, version 1.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "quay_gauge", version = 1)]
#[upgrade_from(0, model = GaugeV0, with = upgrade)]
pub(crate) struct Gauge {
    #[attribute(computed)]
    id: Option<String>,
    ratio: Option<f64>,
    ratios: Option<Vec<f64>>,
    #[attribute(as_string)]
    address: Option<IpAddr>,
    #[attribute(with = capitals)]
    code: Option<String>,
    legacy: ZeroAsNull<i64>,
    weight: Option<Number>,
    reading: Option<Vec<Reading>>,
    #[attribute(set)]
    hosts: Option<Vec<Host>>,
    #[attribute(as_string)]
    policy: Option<JsonText>,
    #[attribute(as_string, requires_replace)]
    range: Option<Cidr>,
    #[attribute(as_string)]
    protocol: Option<IgnoreCase>,
    logs: Option<Vec<Log>>,
    /// How long its functions and upgrades block, in milliseconds.
    blocks: Option<u32>,
}

/// Version 0: the same.
#[derive(Debug, Resource)]
#[resource(type_name = "quay_gauge", version = 0)]
struct GaugeV0 {
    id: Option<String>,
    ratio: Option<f64>,
    ratios: Option<Vec<f64>>,
    #[attribute(as_string)]
    address: Option<IpAddr>,
    #[attribute(with = capitals)]
    code: Option<String>,
    legacy: ZeroAsNull<i64>,
    weight: Option<Number>,
    blocks: Option<u32>,
}

fn block(blocks: Option<u32>) {
    thread::sleep(Duration::from_millis(blocks.unwrap_or(0).into()));
}

#[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
fn upgrade(prior: GaugeV0, _context: &mut UpgradeContext<'_>) -> Result<Gauge, Diagnostics> {
    block(prior.blocks);
    let GaugeV0 {
        id,
        ratio,
        ratios,
        address,
        code,
        legacy,
        weight,
        blocks,
    } = prior;
    let (policy, range, protocol) = (None, None, None);
    let (reading, hosts, logs) = (None, None, None);
    Ok(Gauge {
        id,
        ratio,
        ratios,
        address,
        code,
        legacy,
        weight,
        reading,
        hosts,
        policy,
        range,
        protocol,
        logs,
        blocks,
    })
}

impl Gauge {
    fn made(mut self) -> Self {
        self.id = Some("gauge".to_owned());
        self.reading
            .iter_mut()
            .flatten()
            .for_each(|reading| reading.id = Some("reading".to_owned()));
        self.hosts
            .iter_mut()
            .flatten()
            .for_each(|host| host.id = Some("host".to_owned()));
        self
    }
}

impl ManagedResource for Gauge {
    type Client = Client;

    async fn create(plan: Self, _context: &mut Context<Client>) -> Result<Self, Diagnostics> {
        block(plan.blocks);
        Ok(plan.made())
    }

    async fn read(
        state: Self,
        _context: &mut Context<Client>,
    ) -> Result<Option<Self>, Diagnostics> {
        block(state.blocks);
        Ok(Some(state))
    }

    async fn update(
        plan: Self,
        _prior: Self,
        _context: &mut Context<Client>,
    ) -> Result<Self, Diagnostics> {
        Ok(plan.made())
    }

    async fn delete(_state: Self, _context: &mut Context<Client>) -> Result<(), Diagnostics> {
        Ok(())
    }
}
