//! The client of a request.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;

use crate::model::Principal;

/// The field of a request's span in the log that says who asks.
pub const PRINCIPAL: &str = "principal";

/// The other end of the connection of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The address of the client that sent a request, if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Client(pub Option<IpAddr>);

impl Client {
    /// The address that a request came from, if it is known.
    pub(crate) fn of(extensions: &Extensions) -> Option<IpAddr> {
        extensions.get::<Self>().and_then(|Self(address)| *address)
    }
}

/// The principal of a request, once it is known, for what is noted after the answer.
#[derive(Debug, Clone, Default)]
pub struct Caller(Arc<OnceLock<Principal>>);

impl Caller {
    /// The principal, if it is known by now.
    pub fn get(&self) -> Option<&Principal> {
        self.0.get()
    }

    /// The principal of the request with these extensions, if it is known by now.
    pub(crate) fn of(extensions: &Extensions) -> Option<&Principal> {
        extensions.get::<Self>().and_then(Self::get)
    }

    /// Notes the principal of the request with these extensions.
    pub(crate) fn note(extensions: &Extensions, principal: &Principal) {
        if let Some(Self(caller)) = extensions.get::<Self>() {
            let _ = caller.set(principal.clone());
        }
    }
}

/// A network, such as `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let one = || text.parse::<IpAddr>().map(IpNet::from);
        let network = text.parse::<IpNet>().or_else(|_| one());
        network.map(Self).map_err(|_| {
            format!("{text:?} is not an address such as 10.0.0.1, nor a network such as 10.0.0.0/8")
        })
    }
}

impl<'de> serde::Deserialize<'de> for Network {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// The proxies whose word is taken for where a request comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustedProxies(pub Vec<Network>);

impl TrustedProxies {
    /// True if an address is one of them.
    pub fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.0.contains(&address))
    }

    /// The client of a request: the peer, or, if that is a trusted proxy, the last address in
    /// `X-Forwarded-For` that is not. What is before that, the client may have written itself.
    pub fn client(&self, peer: Option<Peer>, headers: &HeaderMap) -> Client {
        let Some(mut client) = peer.map(|Peer(address)| address.ip().to_canonical()) else {
            return Client(None);
        };
        let forwarded = headers
            .get_all("x-forwarded-for")
            .iter()
            .filter_map(|value| value.to_str().ok());
        let hops: Vec<&str> = forwarded
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .collect();
        for hop in hops.into_iter().rev() {
            if !self.has(client) {
                break;
            }
            // With a port, as some proxies write it.
            let address = hop
                .parse::<IpAddr>()
                .or_else(|_| hop.parse::<SocketAddr>().map(|address| address.ip()));
            match address {
                Ok(address) => client = address.to_canonical(),
                Err(_) => break,
            }
        }
        Client(Some(client))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let trusted = TrustedProxies(vec![
            "10.0.0.0/8".parse().expect("a network"),
            "::1".parse().expect("an address"),
        ]);
        let client = |peer: &str, forwarded: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in forwarded {
                headers.append("x-forwarded-for", value.parse().expect("a value"));
            }
            let Client(address) =
                trusted.client(Some(Peer(peer.parse().expect("an address"))), &headers);
            address.expect("an address").to_string()
        };
        assert_eq!(client("192.0.2.1:5", &["203.0.113.9"]), "192.0.2.1");
        assert_eq!(
            client("10.0.0.1:5", &["198.51.100.1, 203.0.113.9"]),
            "203.0.113.9"
        );
        assert_eq!(
            client(
                "10.0.0.1:5",
                &["198.51.100.1", "203.0.113.9:4711, 10.2.3.4"]
            ),
            "203.0.113.9"
        );
        assert_eq!(client("[::1]:5", &["2001:db8::7"]), "2001:db8::7");
        assert_eq!(client("[::ffff:10.0.0.1]:5", &["unknown"]), "10.0.0.1");
        assert_eq!(client("10.0.0.1:5", &[]), "10.0.0.1");
        assert_eq!(trusted.client(None, &HeaderMap::new()), Client(None));
        assert!("10.0.0.0/40".parse::<Network>().is_err() && "proxy".parse::<Network>().is_err());
    }
}
