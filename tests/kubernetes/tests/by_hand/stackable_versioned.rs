// The boat by stackable-versioned 0.11.1, after its documentation and tests. It is not compiled,
// because its crate is on no registry.
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 as api;
use kube::CustomResource;
use kube::core::conversion::ConversionReview;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stackable_versioned::versioned;

#[versioned(
    version(name = "v1alpha1", deprecated),
    version(name = "v1beta1"),
    version(name = "v1"),
    options(k8s(experimental_conversion_tracking))
)]
pub mod versioned {
    #[versioned(crd(group = "ferry.example.com", namespaced, shortname = "bo", status = "BoatStatus"))]
    #[derive(Debug, Clone, CustomResource, Deserialize, JsonSchema, Serialize)]
    pub struct BoatSpec {
        #[versioned(changed(since = "v1", from_name = "name"))]
        title: String,
        #[versioned(changed(since = "v1beta1", from_name = "colour", from_type = "String"))]
        paint: Paint,
        #[versioned(added(since = "v1"))]
        crew: Vec<String>,
    }
}

#[derive(Debug, Clone, Deserialize, JsonSchema, Serialize)]
pub struct Paint {
    colour: String,
}

impl From<String> for Paint {
    fn from(colour: String) -> Self {
        Self { colour }
    }
}

impl From<Paint> for String {
    fn from(paint: Paint) -> Self {
        paint.colour
    }
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema, Serialize)]
pub struct BoatStatus {}

pub fn definition() -> api::CustomResourceDefinition {
    let mut definition = Boat::merged_crd(BoatVersion::V1).unwrap();
    let service = api::ServiceReference {
        name: "boat-webhook".to_owned(),
        namespace: "ferry".to_owned(),
        path: Some("/convert".to_owned()),
        port: Some(443),
    };
    definition.spec.conversion = Some(api::CustomResourceConversion {
        strategy: "Webhook".to_owned(),
        webhook: Some(api::WebhookConversion {
            client_config: Some(api::WebhookClientConfig { service: Some(service), ..Default::default() }),
            conversion_review_versions: vec!["v1".to_owned()],
        }),
    });
    definition
}

pub fn review(body: &[u8]) -> Vec<u8> {
    let review: ConversionReview = serde_json::from_slice(body).unwrap();
    serde_json::to_vec(&Boat::try_convert(review)).unwrap()
}
