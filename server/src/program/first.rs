//! The first start: an organization, an owner, and what to paste into Terraform's configuration.

use std::fmt::Write as _;

use crate::model::Permissions;
use crate::rules::RefusalKind;
use crate::service::{Failure, Service, TokenFor};

/// The principal that makes the first records, for the audit log.
const WHO: &str = "command line";

/// The name of the first user.
const OWNER: &str = "owner";

/// Makes the organization and, on a store without tokens, an owner token. Gives what is to be
/// printed.
pub(super) async fn start(
    service: &Service,
    url: &str,
    org: &str,
    token: Option<String>,
) -> Result<Option<String>, String> {
    let say = |failure: Failure| failure.to_string();
    let (organization, _) = service.ensure_organization(WHO, org).await.map_err(say)?;
    if let Some(token) = token {
        let id = organization.id;
        let owner = TokenFor::Member {
            name: OWNER.to_owned(),
            organization: id.clone(),
            within: Permissions::ALL,
        };
        return match service
            .create_token(
                WHO,
                owner,
                "owner token, given at the start",
                None,
                Some(token.clone()),
            )
            .await
        {
            Ok(_) => {
                service.make_owner(WHO, OWNER, &id).await.map_err(say)?;
                Ok(Some(paste(url, org, "(the token that you gave)")))
            }
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Conflict => {
                if matches!(service.authenticate(&token).await, Err(Failure::Refused(_))) {
                    tracing::warn!(
                        "the token given with --init-token was revoked and stays so; give another one, or none"
                    );
                }
                Ok(None)
            }
            Err(failure) => Err(failure.to_string()),
        };
    }
    let made = service
        .create_first_token(
            WHO,
            OWNER,
            &organization.id,
            "owner token of the first start",
        )
        .await
        .map_err(say)?;
    let Some(made) = made else { return Ok(None) };
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
