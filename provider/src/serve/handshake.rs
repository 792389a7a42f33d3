//! The handshake: variables of the host that starts a provider, and the one line that the provider
//! answers.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::proto::plugin::COOKIE;

/// The protocols spoken, lowest first.
const PROTOCOLS: [u32; 2] = [5, 6];

/// The host's request.
#[derive(Debug, Clone)]
pub(super) struct Handshake {
    pub(super) protocol: u32,
    /// The certificate that the host will show, if it wants an encrypted connection.
    pub(super) client_certificate: Option<String>,
    /// True if a Unix socket is not wanted: a setting of ours, for file systems that have none.
    pub(super) tcp: bool,
    pub(super) ports: (u16, u16),
    pub(super) socket_folder: Option<PathBuf>,
    pub(super) socket_group: Option<String>,
}

impl Handshake {
    pub(super) fn from_environment() -> Result<Self, String> {
        Self::read(&|name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, String> {
        if variable("TF_PLUGIN_MAGIC_COOKIE").as_deref() != Some(COOKIE) {
            return Err(
                "This is a Terraform provider, which Terraform starts by itself. By hand, give it one of these arguments:\n\
                 \x20 --debug  serve a Terraform that did not start it, and print what to set for it\n\
                 \x20 docs     write the pages that a registry shows\n\
                 \x20 package  pack a release"
                    .to_owned(),
            );
        }
        let port = |name, otherwise| {
            variable(name)
                .and_then(|port| port.parse().ok())
                .unwrap_or(otherwise)
        };
        Ok(Self {
            protocol: protocol(&variable("PLUGIN_PROTOCOL_VERSIONS").unwrap_or_default()),
            client_certificate: variable("PLUGIN_CLIENT_CERT"),
            tcp: variable("UPSTATE_PROVIDER_TCP").is_some(),
            ports: (
                port("PLUGIN_MIN_PORT", 10_000),
                port("PLUGIN_MAX_PORT", 25_000),
            ),
            socket_folder: variable("PLUGIN_UNIX_SOCKET_DIR").map(PathBuf::from),
            socket_group: variable("PLUGIN_UNIX_SOCKET_GROUP"),
        })
    }

    /// The line that tells the host where to connect.
    pub(super) fn line(&self, address: &Address, certificate: &str) -> String {
        format!(
            "1|{}|{}|{}|grpc|{certificate}",
            self.protocol, address.network, address.address
        )
    }
}

/// The highest protocol that the host lists and we speak; the lowest of ours if there is none, and
/// the host will complain.
fn protocol(listed: &str) -> u32 {
    let listed: Vec<u32> = listed
        .split(',')
        .filter_map(|version| version.trim().parse().ok())
        .collect();
    PROTOCOLS
        .into_iter()
        .rev()
        .find(|protocol| listed.contains(protocol))
        .unwrap_or(PROTOCOLS[0])
}

/// The address on which a server listens, as Go's network package writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) network: &'static str,
    pub(super) address: String,
}

/// Says the line, and nothing else, on standard output.
pub(super) fn announce(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Handshake, String> {
        let find = |name: &str| {
            variables
                .iter()
                .find(|(other, _)| *other == name)
                .map(|(_, value)| (*value).to_owned())
        };
        Handshake::read(&find)
    }

    #[test]
    fn without_the_cookie_it_explains_itself() {
        for variables in [&[][..], &[("TF_PLUGIN_MAGIC_COOKIE", "x")]] {
            assert!(
                read(variables)
                    .unwrap_err()
                    .starts_with("This is a Terraform provider, which Terraform starts by itself.")
            );
        }
    }

    #[test]
    fn the_highest_common_protocol_is_taken_in_any_order() {
        for (listed, taken) in [
            ("5,6", 6),
            ("6,5", 6),
            ("5", 5),
            ("7", 5),
            ("x, 6 ,7", 6),
            ("", 5),
        ] {
            assert_eq!(protocol(listed), taken, "{listed}");
        }
    }

    #[test]
    fn the_line_ends_with_the_certificate_or_nothing() {
        let host = read(&[
            ("TF_PLUGIN_MAGIC_COOKIE", COOKIE),
            ("PLUGIN_PROTOCOL_VERSIONS", "6,5"),
            ("PLUGIN_MIN_PORT", "7"),
        ])
        .unwrap();
        assert_eq!(host.ports, (7, 25_000));
        let address = Address {
            network: "unix",
            address: "/tmp/x.sock".to_owned(),
        };
        assert_eq!(host.line(&address, ""), "1|6|unix|/tmp/x.sock|grpc|");
        assert_eq!(host.line(&address, "MII"), "1|6|unix|/tmp/x.sock|grpc|MII");
    }
}
