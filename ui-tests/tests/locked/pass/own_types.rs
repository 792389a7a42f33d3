//! Nothing is known of what an author's own type reads: that a field has one, or no longer has one, is not a change.

use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use upstate::Document;

struct Name(String);

impl FromStr for Name {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Document)]
#[document(type_name = "locked_peer", version = 0)]
struct Peer {
    #[attribute(as_string)]
    address: IpAddr,
    #[attribute(as_string)]
    name: Name,
}
