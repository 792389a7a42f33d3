//! `cloudflare_spectrum_application`: a port or a range of ports, which were two attributes, became one of either type.

use upstate::{Dynamic, Object, Resource};

/// An application that speaks another protocol than HTTP.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_spectrum_application", version = 500)]
#[upgrade_from(0 => 500,
    unwrap(dns, edge_ips, origin_dns),
    only_if(
        not(is(origin_port_range: Option<Vec<PortRange>>, empty)),
        reformat(origin_port = "{origin_port_range.start}-{origin_port_range.end}")
    ),
    drop(origin_port: Option<i64>, "a range of ports takes its place"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct SpectrumApplication {
    #[attribute(computed)]
    pub id: Option<String>,
    pub argo_smart_routing: Option<bool>,
    #[attribute(computed)]
    pub created_on: Option<String>,
    pub dns: Option<SpectrumDns>,
    pub edge_ips: Option<EdgeIps>,
    pub ip_firewall: Option<bool>,
    #[attribute(computed)]
    pub modified_on: Option<String>,
    pub origin_direct: Option<Vec<String>>,
    pub origin_dns: Option<OriginDns>,
    pub origin_port: Option<Dynamic>,
    pub protocol: String,
    pub proxy_protocol: Option<String>,
    pub tls: Option<String>,
    pub traffic_type: Option<String>,
    pub zone_id: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SpectrumDns {
    pub name: Option<String>,
    pub r#type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct EdgeIps {
    pub connectivity: Option<String>,
    pub ips: Option<Vec<String>>,
    pub r#type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct OriginDns {
    pub name: Option<String>,
    pub ttl: Option<i64>,
    pub r#type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct PortRange {
    pub end: i64,
    pub start: i64,
}
