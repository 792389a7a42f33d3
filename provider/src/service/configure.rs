//! Configuration of the provider and of its resources.

use std::sync::{Arc, PoisonError};

use upstate::{Diagnostic, Diagnostics, Value};

use super::{Configured, Service};
use crate::plan;
use crate::proto::{
    ConfigureProviderRequest, ConfigureProviderResponse, DynamicValue, ValidateProviderConfigRequest,
    ValidateProviderConfigResponse, ValidateResourceConfigRequest, ValidateResourceConfigResponse,
};
use crate::wire::diagnostics::to_wire;
use crate::wire::value::from_wire;

impl Service {
    /// Checks the provider's configuration; in protocol 5 it is given back.
    pub(super) fn validate_provider(
        &self,
        request: ValidateProviderConfigRequest,
        give_back: bool,
    ) -> ValidateProviderConfigResponse {
        let config = self.provider_config(request.config.as_ref());
        let diagnostics =
            config.map_or_else(|errors| errors, |config| (self.0.parts.configure.check)(&config, &self.0.types.config));
        let prepared_config = request.config.filter(|_| give_back);
        ValidateProviderConfigResponse { prepared_config, diagnostics: to_wire(diagnostics) }
    }

    fn provider_config(&self, config: Option<&DynamicValue>) -> Result<Value, Diagnostics> {
        let config = from_wire(config, &self.0.types.config, "provider configuration")?;
        // No configuration at all is one in which nothing is set.
        let config = if config.is_null() { Value::Map(std::collections::BTreeMap::new()) } else { config };
        plan::with_defaults(self.0.parts.config_schema.block(), &config)
    }

    pub(super) async fn configure(&self, request: ConfigureProviderRequest) -> ConfigureProviderResponse {
        let made = match self.provider_config(request.config.as_ref()) {
            Ok(config) => (self.0.parts.configure.make)(config, self.0.types.config.clone()).await,
            Err(errors) => Err(errors),
        };
        match made {
            Ok(client) => {
                let registry = Arc::new(self.0.parts.registry_with(&client));
                let mut configured = self.0.configured.write().unwrap_or_else(PoisonError::into_inner);
                *configured = Some(Configured { client, registry });
                ConfigureProviderResponse::default()
            }
            Err(errors) => {
                let errors = crate::wire::diagnostics::headed(errors, "Unable to Configure Provider");
                ConfigureProviderResponse { diagnostics: to_wire(errors) }
            }
        }
    }

    pub(super) fn validate_resource(&self, request: &ValidateResourceConfigRequest) -> ValidateResourceConfigResponse {
        let diagnostics = self.check_resource(request).unwrap_or_else(|errors| errors);
        ValidateResourceConfigResponse { diagnostics: to_wire(diagnostics) }
    }

    fn check_resource(&self, request: &ValidateResourceConfigRequest) -> Result<Diagnostics, Diagnostics> {
        let known = self.resource(&request.type_name)?;
        let config = from_wire(request.config.as_ref(), known.ty, "configuration")?;
        let allowed = request.client_capabilities.is_some_and(|client| client.write_only_attributes_allowed);
        let mut diagnostics = Diagnostics::new();
        if !allowed {
            for path in plan::write_only_given(known.resource.definition().schema().block(), &config) {
                let detail = format!(
                    "The attribute {path} is write-only: its value is used and never stored. This Terraform would store it. \
                     Use Terraform 1.11 or later, or leave it out."
                );
                diagnostics.push(Diagnostic::error("Write-Only Attribute Not Allowed", detail).at(path));
            }
        }
        diagnostics.append(plan::broken(known.resource.definition().schema(), &config));
        diagnostics.append(known.resource.validate(config, known.ty.clone()));
        Ok(diagnostics)
    }
}
