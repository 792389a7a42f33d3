//! Configuration of the provider and of its resources.

use std::sync::{Arc, PoisonError};

use upstate::{Diagnostics, Value};

use super::{Configured, Service};
use crate::diagnostics;
use crate::log::Hidden;
use crate::plan;
use crate::proto::{
    ConfigureProviderRequest, ConfigureProviderResponse, DynamicValue,
    ValidateProviderConfigRequest, ValidateProviderConfigResponse, ValidateResourceConfigRequest,
    ValidateResourceConfigResponse,
};
use crate::secrets::Secrets;
use crate::wire::diagnostics::to_wire;
use crate::wire::value::from_wire;

impl Service {
    /// Checks the provider's configuration; in protocol 5 it is given back.
    pub(crate) fn validate_provider(
        &self,
        request: ValidateProviderConfigRequest,
        give_back: bool,
    ) -> ValidateProviderConfigResponse {
        let diagnostics = self
            .check_provider(request.config.as_ref())
            .unwrap_or_else(|errors| errors);
        let prepared_config = request.config.filter(|_| give_back);
        ValidateProviderConfigResponse {
            prepared_config,
            diagnostics: to_wire(diagnostics),
        }
    }

    fn check_provider(&self, config: Option<&DynamicValue>) -> Result<Diagnostics, Diagnostics> {
        let config = self.written_config(config)?;
        let mut diagnostics = (self.0.parts.configure.check)(&config, &self.0.types.config);
        diagnostics.append(plan::deprecated(self.0.parts.config_schema, &config));
        Ok(diagnostics)
    }

    pub(super) fn config_secrets(&self, config: Option<&DynamicValue>) -> Secrets {
        let mut secrets = Secrets::default();
        if let Ok(config) = from_wire(config, &self.0.types.config, "provider configuration") {
            secrets.add(self.0.parts.config_schema.block(), &config);
        }
        secrets
    }

    /// The configuration without defaults. None at all is one in which nothing is set.
    fn written_config(&self, config: Option<&DynamicValue>) -> Result<Value, Diagnostics> {
        let config = from_wire(config, &self.0.types.config, "provider configuration")?;
        Ok(if config.is_null() {
            Value::Map(std::collections::BTreeMap::new())
        } else {
            config
        })
    }

    fn provider_config(&self, config: Option<&DynamicValue>) -> Result<Value, Diagnostics> {
        plan::with_defaults(
            self.0.parts.config_schema.block(),
            &self.written_config(config)?,
        )
    }

    pub(crate) async fn configure(
        &self,
        request: ConfigureProviderRequest,
    ) -> ConfigureProviderResponse {
        let service = self.clone();
        let secrets = Arc::new(self.config_secrets(request.config.as_ref()));
        let hidden = Arc::new(Hidden::new(Arc::clone(&secrets)));
        let made = match self.provider_config(request.config.as_ref()) {
            Ok(config) => {
                let version = request.terraform_version.clone();
                let make = async move {
                    (service.0.parts.configure.make)(
                        config,
                        service.0.types.config.clone(),
                        version,
                    )
                    .await
                };
                self.or_stopped("its configuration", None, make).await
            }
            Err(errors) => Err(errors),
        };
        match made {
            Ok(client) => {
                let registry = Arc::new(self.0.parts.registry_with(&client));
                let mut configured = self
                    .0
                    .configured
                    .write()
                    .unwrap_or_else(PoisonError::into_inner);
                *configured = Some(Configured {
                    client,
                    registry,
                    secrets,
                    _hidden: hidden,
                });
                ConfigureProviderResponse::default()
            }
            Err(errors) => {
                let errors =
                    crate::wire::diagnostics::headed(errors, "Unable to Configure Provider");
                ConfigureProviderResponse {
                    diagnostics: to_wire(errors),
                }
            }
        }
    }

    pub(crate) async fn validate_resource(
        &self,
        request: ValidateResourceConfigRequest,
    ) -> ValidateResourceConfigResponse {
        let (service, pace) = (
            self.clone(),
            self.pace(&request.type_name, |it| &it.validate),
        );
        let checked = self
            .or_stopped("a validation", pace, async move {
                service.check_resource(&request)
            })
            .await;
        ValidateResourceConfigResponse {
            diagnostics: to_wire(checked.unwrap_or_else(|errors| errors)),
        }
    }

    fn check_resource(
        &self,
        request: &ValidateResourceConfigRequest,
    ) -> Result<Diagnostics, Diagnostics> {
        let known = self.resource(&request.type_name)?;
        let config = from_wire(request.config.as_ref(), known.ty, "configuration")?;
        let allowed = request
            .client_capabilities
            .is_some_and(|client| client.write_only_attributes_allowed);
        let mut diagnostics = Diagnostics::new();
        if allowed {
            let pairs = known.resource.prefer_write_only();
            diagnostics.append(plan::stored_instead(
                known.resource.definition().schema().block(),
                &config,
                pairs,
            ));
        } else {
            for path in
                plan::write_only_given(known.resource.definition().schema().block(), &config)
            {
                diagnostics.push(diagnostics::write_only_refused(path));
            }
        }
        diagnostics.append(plan::remarks(known.resource.definition().schema(), &config));
        diagnostics.append(known.resource.validate(config, known.ty.clone()));
        Ok(diagnostics)
    }
}
