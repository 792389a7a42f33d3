//! The first start: an organization, an owner, and what to paste into Terraform's configuration.

use std::fmt::Write as _;

use crate::service::{Failure, OWNER, Service};

/// The principal that makes the first records, for the audit log.
const WHO: &str = "command line";

/// Makes the organization and, on a store without tokens, an owner token. Gives what is to be
/// printed.
pub(super) async fn start(
    service: &Service,
    url: &str,
    org: &str,
    token: Option<String>,
) -> Result<Option<String>, String> {
    let say = |failure: Failure| failure.to_string();
    let (organization, is_new) = service.ensure_organization(WHO, org).await.map_err(say)?;
    let description = if token.is_some() {
        "owner token, given at the start"
    } else {
        "owner token of the first start"
    };
    let made = service
        .create_owner(WHO, OWNER, &organization.id, description, token.clone())
        .await
        .map_err(say)?;
    let Some(made) = made else {
        if is_new {
            tracing::warn!(
                organization = org,
                "the organization was made just now and has no owner: `upstate-server token create` with --user, --team owners and --can gives it one"
            );
        }
        if let Some(token) = token
            && matches!(service.authenticate(&token).await, Err(Failure::Refused(_)))
        {
            tracing::warn!(
                "the token given with --init-token was revoked and stays so; give another one, or none"
            );
        }
        return Ok(None);
    };
    if token.is_some() {
        return Ok(Some(paste(url, org, "(the token that you gave)")));
    }
    let mut text = format!(
        "Owner token of organization {org}, shown this once:\n\n  {}\n\n",
        made.secret
    );
    text.push_str(&paste(url, org, &made.secret));
    Ok(Some(text))
}

/// The lines to paste.
fn paste(url: &str, org: &str, token: &str) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        r#"Paste into ~/.terraformrc (on Windows %APPDATA%\terraform.rc):

  host "upstate.local" {{
    services = {{
      "tfe.v2"   = "{url}/api/v2/"
      "tfe.v2.1" = "{url}/api/v2/"
      "tfe.v2.2" = "{url}/api/v2/"
      "state.v2" = "{url}/api/v2/"
      "login.v1" = {{
        client = "terraform-cli", grant_types = ["authz_code"], ports = [10000, 10010],
        authz = "{url}/oauth/authorization", token = "{url}/oauth/token"
      }}
    }}
  }}
  credentials "upstate.local" {{
    token = "{token}"
  }}

and into the configuration of a workspace:

  terraform {{
    cloud {{
      hostname     = "upstate.local"
      organization = "{org}"
      workspaces {{ name = "my-workspace" }}
    }}
  }}

then run `terraform init`. A browser shows the workspaces at {url}/ and asks for the token.
"#
    );
    text
}
