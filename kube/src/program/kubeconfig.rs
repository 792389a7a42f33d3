//! A kubeconfig, as `kubectl` has it: the server, the certificates and the account of one of its
//! contexts.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The access to a cluster. It has no `Debug`, because it holds secrets.
pub(super) struct Access {
    /// The URL of the server.
    pub(super) server: String,
    /// The name in the server's certificate, if it is not the host's.
    pub(super) server_name: Option<String>,
    /// The certificates that are trusted, as PEM.
    pub(super) authority: Option<Vec<u8>>,
    pub(super) token: Option<Token>,
    /// A certificate of the account and its key, as PEM.
    pub(super) identity: Option<(Vec<u8>, Vec<u8>)>,
}

/// A token of an account.
pub(super) enum Token {
    Text(String),
    /// Read for each request, because others replace it.
    File(PathBuf),
}

/// Settings without which the server or the account would be another one, and that only `kubectl`
/// knows.
const FOREIGN: [&str; 8] = [
    "exec",
    "auth-provider",
    "username",
    "as",
    "as-uid",
    "as-groups",
    "insecure-skip-tls-verify",
    "proxy-url",
];

/// The settings of the user that a context does not name.
static NOTHING: Value = Value::Null;

/// Reads a context of a kubeconfig, the current one unless another is named; an error quotes
/// nothing but names.
pub(super) fn read(file: &Path, context: Option<&str>) -> Result<Access, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    parse(&text, file.parent().unwrap_or(Path::new("")), context)
}

fn parse(text: &str, folder: &Path, context: Option<&str>) -> Result<Access, String> {
    let config: Value = serde_saphyr::from_str(text)
        .map_err(|_| "it is not the YAML of a kubeconfig".to_owned())?;
    let current = config
        .get("current-context")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty());
    let name = context
        .or(current)
        .ok_or("it has no current context\nhelp: name one of its contexts with `--context`")?;
    let (context, settings) = (name, named(&config, "contexts", "context", name)?);
    let part = |member: &str, list: &str| {
        let name = settings
            .get(member)
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty())
            .ok_or_else(|| format!("the context {context:?} names no {member}"))?;
        Ok::<_, String>(Section {
            name,
            settings: named(&config, list, member, name)?,
            folder,
        })
    };
    let cluster = part("cluster", "clusters")?;
    // Anonymous, as for client-go. A name that no user has is a mistake.
    let is_anonymous = |user: &Value| user.is_null() || user == "";
    let user = if settings.get("user").is_none_or(is_anonymous) {
        Section {
            name: "",
            settings: &NOTHING,
            folder,
        }
    } else {
        part("user", "users")?
    };
    for section in [&cluster, &user] {
        section.check()?;
    }
    let server = cluster
        .text("server")
        .ok_or_else(|| format!("the cluster {:?} has no `server`", cluster.name))?
        .to_owned();
    let token = match (user.text("token"), user.text("tokenFile")) {
        (_, Some(file)) => Some(Token::File(folder.join(file))),
        (Some(text), None) => Some(Token::Text(text.to_owned())),
        (None, None) => None,
    };
    let identity = match (user.bytes("client-certificate")?, user.bytes("client-key")?) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (Some(_), None) => {
            let name = user.name;
            return Err(format!(
                "the user {name:?} has a `client-certificate` and no `client-key`"
            ));
        }
        (None, Some(_)) => {
            let name = user.name;
            return Err(format!(
                "the user {name:?} has a `client-key` and no `client-certificate`"
            ));
        }
    };
    Ok(Access {
        server,
        server_name: cluster.text("tls-server-name").map(str::to_owned),
        authority: cluster.bytes("certificate-authority")?,
        token,
        identity,
    })
}

/// The entry of this name in a list of entries with names.
fn named<'c>(config: &'c Value, list: &str, member: &str, name: &str) -> Result<&'c Value, String> {
    let entries = config.get(list).and_then(Value::as_array);
    let entries = entries.map(Vec::as_slice).unwrap_or_default();
    let name_of = |entry: &'c Value| entry.get("name").and_then(Value::as_str);
    if let Some(found) = entries.iter().find(|&entry| name_of(entry) == Some(name)) {
        return found
            .get(member)
            .ok_or_else(|| format!("its {member} {name:?} has no `{member}`"));
    }
    let known = entries.iter().filter_map(name_of);
    // Quoted, because a name may have any letters.
    let known: Vec<String> = known.map(|name| format!("{name:?}")).collect();
    Err(if known.is_empty() {
        format!("it has no {member} {name:?}, and no other")
    } else {
        format!("it has no {member} {name:?}; it has {}", known.join(", "))
    })
}

/// The settings of a cluster or a user.
struct Section<'c> {
    name: &'c str,
    settings: &'c Value,
    /// The folder that paths begin in.
    folder: &'c Path,
}

impl<'c> Section<'c> {
    fn text(&self, name: &str) -> Option<&'c str> {
        self.settings
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    }

    /// Refuses what is left to `kubectl`.
    fn check(&self) -> Result<(), String> {
        let is_set = |name: &&&str| {
            self.settings
                .get(**name)
                .is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
        };
        match FOREIGN.iter().find(is_set) {
            Some(name) => Err(format!(
                "`{name}` of {:?} is left to kubectl\nhelp: start `kubectl proxy` and write `--server http://127.0.0.1:8001`",
                self.name
            )),
            None => Ok(()),
        }
    }

    /// The contents of a setting, which is in base64 or a file.
    fn bytes(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let data = format!("{name}-data");
        if let Some(text) = self.text(&data) {
            return STANDARD
                .decode(text)
                .map(Some)
                .map_err(|_| format!("`{data}` of {:?} is not base64", self.name));
        }
        let Some(file) = self.text(name).map(|file| self.folder.join(file)) else {
            return Ok(None);
        };
        std::fs::read(&file)
            .map(Some)
            .map_err(|error| format!("{}: {error}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Access, Token, parse};

    const CONFIG: &str = "
apiVersion: v1
kind: Config
current-context: harbour
contexts:
- {name: harbour, context: {cluster: ferry, user: captain, namespace: boats}}
- {name: yard, context: {cluster: ferry, user: clerk}}
- {name: lost, context: {cluster: nowhere, user: clerk}}
- {name: cloud, context: {cluster: ferry, user: robot}}
- {name: open, context: {cluster: blind, user: clerk}}
- {name: half, context: {cluster: ferry, user: keyless}}
- {name: odd, context: {cluster: ferry, user: broken}}
- {name: guest, context: {user: clerk}}
- {name: bare, context: {cluster: ferry, user: empty}}
clusters:
- {name: ferry, cluster: {server: 'https://127.0.0.1:6443', certificate-authority-data: UEVN, tls-server-name: kubernetes}}
- {name: blind, cluster: {server: 'https://127.0.0.1:6443', insecure-skip-tls-verify: true}}
users:
- {name: captain, user: {token: s3cret}}
- {name: clerk, user: {tokenFile: token, client-certificate-data: Y2VydA==, client-key-data: a2V5}}
- {name: robot, user: {exec: {command: aws}}}
- {name: keyless, user: {client-certificate-data: Y2VydA==}}
- {name: broken, user: {client-certificate-data: '%s3cret'}}
- {name: empty}
";

    fn access(context: Option<&str>) -> Result<Access, String> {
        parse(CONFIG, Path::new("/home/captain/.kube"), context)
    }

    #[test]
    fn a_context_names_the_cluster_and_the_account() {
        let access = access(None).unwrap();
        assert_eq!(
            (&*access.server, access.server_name.as_deref()),
            ("https://127.0.0.1:6443", Some("kubernetes"))
        );
        assert_eq!(access.authority.as_deref(), Some(&b"PEM"[..]));
        assert!(matches!(access.token, Some(Token::Text(text)) if text == "s3cret"));
        assert!(access.identity.is_none());
        let access = self::access(Some("yard")).unwrap();
        assert!(
            matches!(access.token, Some(Token::File(file)) if file == Path::new("/home/captain/.kube/token"))
        );
        assert_eq!(access.identity, Some((b"cert".to_vec(), b"key".to_vec())));
    }

    #[test]
    fn a_context_without_a_user_is_anonymous() {
        let file = |user: &str| CONFIG.replace("user: captain, ", user);
        for user in ["", "user: '', ", "user: null, "] {
            let access = parse(&file(user), Path::new(""), None).unwrap();
            assert_eq!(access.server, "https://127.0.0.1:6443");
            assert_eq!(access.authority.as_deref(), Some(&b"PEM"[..]));
            assert!(
                access.token.is_none() && access.identity.is_none(),
                "{user}"
            );
        }
        let refused = |user| parse(&file(user), Path::new(""), None).err().unwrap();
        assert_eq!(
            refused("user: nobody, "),
            "it has no user \"nobody\"; it has \"captain\", \"clerk\", \"robot\", \"keyless\", \"broken\", \"empty\""
        );
        assert_eq!(
            refused("user: 7, "),
            "the context \"harbour\" names no user"
        );
    }

    #[test]
    fn what_cannot_be_used_is_named_and_no_secret_is() {
        let refused = |context| access(Some(context)).err().unwrap();
        let kubectl = "is left to kubectl\nhelp: start `kubectl proxy` and write `--server http://127.0.0.1:8001`";
        assert_eq!(
            refused("sea"),
            "it has no context \"sea\"; it has \"harbour\", \"yard\", \"lost\", \"cloud\", \"open\", \"half\", \"odd\", \"guest\", \"bare\""
        );
        assert_eq!(
            refused("lost"),
            "it has no cluster \"nowhere\"; it has \"ferry\", \"blind\""
        );
        assert_eq!(refused("guest"), "the context \"guest\" names no cluster");
        assert_eq!(refused("bare"), "its user \"empty\" has no `user`");
        assert_eq!(refused("cloud"), format!("`exec` of \"robot\" {kubectl}"));
        assert_eq!(
            refused("open"),
            format!("`insecure-skip-tls-verify` of \"blind\" {kubectl}")
        );
        assert_eq!(
            refused("half"),
            "the user \"keyless\" has a `client-certificate` and no `client-key`"
        );
        assert_eq!(
            refused("odd"),
            "`client-certificate-data` of \"broken\" is not base64"
        );
        let of = |text| parse(text, Path::new(""), None).err().unwrap();
        assert_eq!(
            of("kind: Config"),
            "it has no current context\nhelp: name one of its contexts with `--context`"
        );
        assert_eq!(of("token: {s3cret"), "it is not the YAML of a kubeconfig");
    }
}
