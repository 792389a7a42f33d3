//! The addresses at which a provider may be: administrators of organizations name providers, and
//! must not reach the network of the operator by it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

use super::token::shortened;
use crate::authorities;

/// True if an address is one of the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // RFC 6890 and its successors; 192.88.99.0/24 leads into networks of version 6.
    let special = a == 0
        || a == 10
        || a == 127
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 169 && b == 254)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113);
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // 2000::/3 is public, except documentation and the prefixes that lead to addresses of version 4
    // (2001::/32, 2002::/16).
    (0x2000..0x4000).contains(&a)
        && a != 0x2002
        && !(a == 0x2001 && (b == 0 || b == 0xdb8))
        && !(a == 0x3fff && b < 0x1000)
}

/// The address that is the host of a URL, if it is one and no name.
pub(super) fn of(url: &Url) -> Option<IpAddr> {
    url.host_str()?
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}

/// The leave to reach a URL, without which there is no client for it.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    public_only: bool,
}

/// The leave to reach a URL; an error if it must not be reached. `flag` is the setting by which the
/// operator allows other addresses than public ones.
pub fn reach(url: &Url, is_internal: bool, flag: &str) -> Result<Reach, String> {
    let literal = of(url);
    let is_loopback =
        literal.is_some_and(|address| address.is_loopback()) || url.host_str() == Some("localhost");
    match url.scheme() {
        "https" => {}
        "http" if is_internal && is_loopback => {}
        _ => {
            let host = url.host_str().unwrap_or_default();
            return Err(format!(
                "{}://{} is not an https:// URL",
                url.scheme(),
                shortened(host)
            ));
        }
    }
    if !is_internal && literal.is_some_and(|address| !is_public(address)) {
        let host = url.host_str().unwrap_or_default();
        return Err(format!(
            "{host} is not a public address; the operator allows others by {flag}"
        ));
    }
    Ok(Reach {
        public_only: !is_internal,
    })
}

impl Reach {
    /// A client. It follows nothing, because those who name a URL could lead it elsewhere.
    pub fn client(self, patience: Duration) -> Result<Client, String> {
        // The client takes its cryptography from the process, where only the first choice counts,
        // so that a second one may fail.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder().timeout(patience).redirect(Policy::none());
        if self.public_only {
            client = client.dns_resolver(Arc::new(PublicOnly));
        }
        authorities::added(client)
            .and_then(ClientBuilder::build)
            .map_err(|error| format!("no client can be made: {error}"))
    }
}

/// Finds public addresses only. The connection is made to what was looked at here, so that a name
/// cannot change in between.
#[derive(Debug)]
pub(super) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err("the name has no public address".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_within_is_public() {
        let within = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.1",
            "192.88.99.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "ff02::1",
            "2002:a9fe:a9fe::1",
            "2001::1",
            "2001:db8::1",
        ];
        for address in within {
            assert!(
                !is_public(address.parse().expect("an address")),
                "{address}"
            );
        }
        for address in [
            "1.1.1.1",
            "140.82.112.3",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(is_public(address.parse().expect("an address")), "{address}");
        }
    }

    #[test]
    fn every_writing_of_an_address_is_seen() {
        for host in [
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "127.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
        ] {
            let url = Url::parse(&format!("https://{host}/")).expect("a URL");
            assert!(
                of(&url).is_some_and(|address| !is_public(address)),
                "{host}"
            );
        }
        assert_eq!(
            of(&Url::parse("https://example.com/").expect("a URL")),
            None
        );
    }
}
