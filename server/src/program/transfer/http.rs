//! States at addresses of Terraform's `backend "http"`, one for each workspace.

use bytes::Bytes;
use reqwest::{StatusCode, Url};

use super::found::{At, Found, Offered};
use super::link::{Link, Login, Missing};

/// The place in an address for the name of a workspace.
const NAME: &str = "{workspace}";

/// That place in the path of a URL, where the braces are encoded; in its query they are not.
const ENCODED: &str = "%7Bworkspace%7D";

/// A server with addresses of `backend "http"`.
#[derive(Debug)]
pub(super) struct HttpBackend {
    link: Link,
    names: Vec<String>,
}

impl HttpBackend {
    /// The states of these workspaces, for a user with a password if the server asks for them.
    pub(super) fn new(
        address: &str,
        workspaces: &[String],
        login: Option<(String, String)>,
    ) -> Result<Self, String> {
        let mut names = workspaces.to_vec();
        names.sort();
        // Otherwise a name that is given twice would be imported twice at the same time.
        names.dedup();
        let has_password = login.is_some();
        let link = match login {
            Some((user, password)) => Link::new(address, password, Login::Password(user))?,
            None => Link::new(address, String::new(), Login::Open)?,
        };
        let has_name = |part: &str| part.contains(ENCODED) || part.contains(NAME);
        // Otherwise no host would get the password, because the link sends it to that of the
        // address alone.
        if has_password && has_name(link.host()) {
            return Err(format!(
                "--from-http has {NAME} in the name of its host, and a password is for one host: put {NAME} into the path or the query"
            ));
        }
        // Not in the fragment, for example, which is not sent, so that one state would be imported
        // under each name.
        let sent = [
            link.host(),
            link.address.path(),
            link.address.query().unwrap_or_default(),
        ];
        if names.len() > 1 && !sent.into_iter().any(has_name) {
            let count = names.len();
            return Err(format!(
                "--from-http is the address of one state, and --workspace names {count}: put {NAME} into its path or its query, where \
                 their names are"
            ));
        }
        Ok(Self { link, names })
    }

    pub(super) fn describe(&self) -> String {
        format!("backend \"http\" of {}", self.link.host())
    }

    pub(super) fn workspaces(&self) -> Result<Vec<Found>, String> {
        self.names.iter().map(|name| self.found(name)).collect()
    }

    fn found(&self, name: &str) -> Result<Found, String> {
        let address = self
            .link
            .address
            .as_str()
            .replace(ENCODED, name)
            .replace(NAME, name);
        let url =
            Url::parse(&address).map_err(|_| format!("workspace {name:?} has no address there"))?;
        let at = At::Version {
            id: String::new(),
            url,
        };
        let state = Offered::new("its state".to_owned(), at);
        Ok(Found {
            name: name.to_owned(),
            states: vec![state],
            ..Found::default()
        })
    }

    /// The bytes of a state.
    pub(super) async fn state(&self, url: &Url, most: usize) -> Result<Bytes, String> {
        match self.link.body(url, None, most).await {
            Ok(bytes) => Ok(bytes),
            Err(Missing::Status(StatusCode::NO_CONTENT)) => {
                Err(format!("{} has no state at its address", self.link.host()))
            }
            Err(missing @ (Missing::Status(_) | Missing::Other(_))) => {
                Err(self.link.failed("state", &missing))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_name_of_each_workspace() {
        let names = ["b".to_owned(), "a".to_owned(), "b".to_owned()];
        let urls = |address: &str| {
            let found = HttpBackend::new(address, &names, None)
                .expect("a server")
                .workspaces()
                .expect("workspaces");
            let url = |found: &Found| match found.states.first().map(|state| &state.at) {
                Some(At::Version { url, .. }) => url.to_string(),
                Some(At::File(_) | At::Object { .. } | At::Row(_)) | None => String::new(),
            };
            found.iter().map(url).collect::<Vec<_>>()
        };
        assert_eq!(
            urls("https://state.example.com/net/{workspace}.json"),
            [
                "https://state.example.com/net/a.json",
                "https://state.example.com/net/b.json"
            ]
        );
        assert_eq!(
            urls("example.com/s?id={workspace}"),
            ["https://example.com/s?id=a", "https://example.com/s?id=b"]
        );
        assert_eq!(
            urls("https://{workspace}.example.com/net"),
            ["https://a.example.com/net", "https://b.example.com/net"]
        );
        for address in [
            "state.example.com/net",
            "state.example.com/net#{workspace}",
            "{workspace}@state.example.com/net",
        ] {
            let refused = HttpBackend::new(address, &names, None).expect_err(address);
            assert!(
                refused.contains("--workspace names 2: put {workspace} into its path or its query"),
                "{address}: {refused}"
            );
        }
        let login = Some(("ann".to_owned(), "hunter22".to_owned()));
        let host = HttpBackend::new("https://{workspace}.example.com/net", &names, login.clone())
            .expect_err("refused");
        assert!(
            host.contains("--from-http has {workspace} in the name of its host"),
            "{host}"
        );
        let one = HttpBackend::new("https://state.example.com/net", &names[..1], login)
            .expect("a server");
        assert!(!format!("{one:?}").contains("hunter22"));
        let open = HttpBackend::new("http://state.example.com/net", &names[..1], None)
            .expect_err("refused");
        assert!(open.contains("https:// only"), "{open}");
    }
}
