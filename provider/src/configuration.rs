//! The user's configuration, for the author of a provider.

use std::fmt;

use upstate::schema::Type;
use upstate::{Diagnostics, Object, Value};

use crate::diagnostics;
use crate::misnamed::Misnamed;
use crate::plan::{self, Fillers, ResourceConfig};

/// The configuration of a provider, and which Terraform asks. Parts of it may not be known yet:
/// where they come from a resource that is not there yet, a plan knows nothing of them. Defaults
/// are in it.
///
/// ```
/// use upstate::{Diagnostics, Object};
/// use upstate_provider::{Configuration, Provider};
///
/// #[derive(Object)]
/// struct Config {
///     endpoint: Option<String>,
/// }
///
/// /// Connects to the API, or to nothing while nobody knows where it is.
/// async fn configure(configuration: Configuration<Config>) -> Result<Option<String>, Diagnostics> {
///     if !configuration.is_known("endpoint") {
///         return Ok(None);
///     }
///     let agent = configuration.user_agent("terraform-provider-example", env!("CARGO_PKG_VERSION"));
///     Ok(configuration.model()?.endpoint.map(|endpoint| format!("{endpoint} for {agent}")))
/// }
///
/// let provider = Provider::configured_by("example.com/me/example", configure);
/// # provider.check().unwrap();
/// ```
pub struct Configuration<T> {
    config: ResourceConfig<T>,
    value: Value,
    ty: Type,
    terraform_version: String,
}

impl<T: Object> Configuration<T> {
    pub(crate) fn new(value: Value, ty: Type, terraform_version: String) -> Self {
        Self {
            config: ResourceConfig::new(value.clone(), ty.clone()),
            value,
            ty,
            terraform_version,
        }
    }

    pub(crate) fn misnamed(&self) -> Misnamed {
        self.config.misnamed().clone()
    }

    /// The value of an attribute: null if the user did not set it, [`Value::Unknown`] if it is not
    /// known yet. An attribute that the schema does not have is null, too, and an error once the
    /// provider is configured.
    pub fn get(&self, attribute: &str) -> &Value {
        self.config.get(attribute)
    }

    /// True if all of an attribute is known.
    pub fn is_known(&self, attribute: &str) -> bool {
        self.config.is_known(attribute)
    }

    /// The version of the Terraform that asks, such as `1.15.5`.
    pub fn terraform_version(&self) -> &str {
        &self.terraform_version
    }

    /// The `User-Agent` of requests to an API, as the SDK of Go has it: Terraform, the provider and
    /// its version, and what the environment variable `TF_APPEND_USER_AGENT` adds.
    pub fn user_agent(&self, provider: &str, version: &str) -> String {
        let appended = std::env::var("TF_APPEND_USER_AGENT").unwrap_or_default();
        agent(&self.terraform_version, provider, version, &appended)
    }

    /// The whole configuration.
    ///
    /// # Errors
    /// Something in it is not known yet; the diagnostic names it and tells the user what to do.
    pub fn model(&self) -> Result<T, Diagnostics> {
        let unknown = self
            .value
            .as_map()
            .into_iter()
            .flatten()
            .find(|(_, value)| plan::has_unknown(value));
        if let Some((name, _)) = unknown {
            return Err(diagnostics::configuration_not_known(name).into());
        }
        self.known()
    }

    /// The known part of the configuration: the rest is `None` where its field is an `Option`, and
    /// otherwise an empty value.
    ///
    /// # Errors
    /// The known values do not fit the model.
    pub fn known(&self) -> Result<T, Diagnostics> {
        Ok(plan::fill::<T>(&self.value, &self.ty, Fillers::Empty)?.model)
    }
}

/// Says the version, not the values: they may be secrets.
impl<T> fmt::Debug for Configuration<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Configuration")
            .field("terraform_version", &self.terraform_version)
            .finish_non_exhaustive()
    }
}

fn agent(terraform: &str, provider: &str, version: &str, appended: &str) -> String {
    let agent = format!(
        "Terraform/{terraform} (+https://www.terraform.io) {provider}/{version} {}",
        appended.trim()
    );
    // A header can hold no other letters, and no client sends one that does.
    agent
        .trim_end()
        .chars()
        .filter(|letter| letter.is_ascii_graphic() || *letter == ' ')
        .collect()
}

#[cfg(test)]
mod tests {
    use super::agent;

    #[test]
    fn an_agent_is_one_line_of_a_header() {
        assert_eq!(
            agent("1.15.5", "acme", "1.2.0", ""),
            "Terraform/1.15.5 (+https://www.terraform.io) acme/1.2.0"
        );
        let appended = agent("1.15.5", "acme", "1.2.0", " ci/7 (\u{fc}\r\nX: y)\n");
        assert_eq!(
            appended,
            "Terraform/1.15.5 (+https://www.terraform.io) acme/1.2.0 ci/7 (X: y)"
        );
    }
}
