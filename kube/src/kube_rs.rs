//! Custom resources as kube-rs has them: for `Api<CustomObject<Boat>>`, watchers, controllers and
//! server-side apply.

use std::borrow::Cow;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::{
    ApiResource, ClusterResourceScope, CustomResourceExt, NamespaceResourceScope, Resource,
};
use serde::de::Error as _;
use serde::ser::{Error as _, SerializeStruct as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use upstate::Resource as Model;

use crate::facts::{Facts, Version};
use crate::resource::{CustomResource, scope};
use crate::schema::{Node, leaked};
use crate::value;

/// An object of a custom resource in its current version, which is the one that the struct
/// describes.
///
/// It is what `derive(CustomResource)` of kube-rs makes: `metadata`, the spec and the status.
/// Objects that are stored in another version come in this one, as the webhook converts them.
///
/// ```
/// use kube::api::{Patch, PatchParams};
/// use kube::{Api, Client};
/// use upstate::Document;
/// use upstate_kube::CustomObject;
///
/// #[derive(Debug, Clone, Document)]
/// #[document(type_name = "ferry.boat", version = 1)]
/// #[upgrade_from(0 => 1, rename(colour => paint))]
/// #[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1alpha1"), version(1 = "v1", storage))]
/// struct Boat { paint: String }
///
/// async fn paint(client: Client) -> kube::Result<CustomObject<Boat>> {
///     let boats: Api<CustomObject<Boat>> = Api::default_namespaced(client);
///     let boat = CustomObject::new("b0", Boat { paint: "red".to_owned() });
///     boats.patch("b0", &PatchParams::apply("harbour"), &Patch::Apply(&boat)).await
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CustomObject<T: CustomResource> {
    /// Its name, labels, and what the server writes.
    pub metadata: ObjectMeta,
    /// The struct of the custom resource.
    pub spec: T,
    /// The status, if it has one.
    pub status: Option<T::Status>,
}

/// A scope as kube-rs has it.
pub trait KubeScope: scope::Scope {
    /// The type of k8s-openapi.
    type Scope: k8s_openapi::ResourceScope;
}

impl KubeScope for scope::Namespaced {
    type Scope = NamespaceResourceScope;
}

impl KubeScope for scope::Cluster {
    type Scope = ClusterResourceScope;
}

impl<T: CustomResource> CustomObject<T> {
    /// An object with a name, for `create` and server-side apply.
    pub fn new(name: impl Into<String>, spec: T) -> Self {
        let metadata = ObjectMeta {
            name: Some(name.into()),
            ..ObjectMeta::default()
        };
        Self {
            metadata,
            spec,
            status: None,
        }
    }

    /// The version that the struct describes.
    fn version() -> Option<&'static Version> {
        T::FACTS
            .versions
            .iter()
            .find(|version| version.number == T::VERSION)
    }

    fn api_version() -> String {
        let Facts { group, .. } = T::FACTS;
        format!(
            "{group}/{}",
            Self::version().map_or("", |version| version.name)
        )
    }
}

impl<T: CustomResource<Scope: KubeScope>> CustomObject<T> {
    /// The names of the custom resource for kube-rs' dynamic clients, such as `Api<DynamicObject>`
    /// in an older version.
    #[must_use]
    pub fn api_resource() -> ApiResource {
        ApiResource::erase::<Self>(&())
    }
}

impl<T: CustomResource<Scope: KubeScope>> Resource for CustomObject<T> {
    type DynamicType = ();
    type Scope = <T::Scope as KubeScope>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        T::FACTS.kind.into()
    }

    fn group((): &()) -> Cow<'_, str> {
        T::FACTS.group.into()
    }

    fn version((): &()) -> Cow<'_, str> {
        Self::version().map_or("", |version| version.name).into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        T::FACTS.plural.into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

/// The names, and the definition of a custom resource whose versions have one shape, which nothing
/// converts.
///
/// A definition with a webhook is that of [`CustomResource::crd_with`];
/// `Patch::Apply(definition.value())` applies it.
impl<T: CustomResource<Scope: KubeScope>> CustomResourceExt for CustomObject<T> {
    /// The definition, with all versions.
    ///
    /// # Panics
    /// Versions differ, so that the definition needs a webhook, or Kubernetes cannot describe one:
    /// what [`CustomResource::crd`] refuses.
    #[expect(
        clippy::panic,
        reason = "kube-rs has no error here, and a definition without conversion loses values"
    )]
    fn crd() -> CustomResourceDefinition {
        let definition = T::crd().unwrap_or_else(|error| panic!("{error}"));
        serde_json::from_value(definition.value().clone())
            .unwrap_or_else(|error| panic!("{}: {error}", T::FACTS.rust_name))
    }

    fn crd_name() -> &'static str {
        leaked(&T::FACTS.crd_name())
    }

    fn api_resource() -> ApiResource {
        ApiResource::erase::<Self>(&())
    }

    fn shortnames() -> &'static [&'static str] {
        T::FACTS.short_names
    }
}

impl<T: CustomResource> Serialize for CustomObject<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object =
            serializer.serialize_struct("CustomObject", 4 + usize::from(self.status.is_some()))?;
        object.serialize_field("apiVersion", &Self::api_version())?;
        object.serialize_field("kind", T::FACTS.kind)?;
        object.serialize_field("metadata", &self.metadata)?;
        object.serialize_field("spec", &written(&self.spec).map_err(S::Error::custom)?)?;
        if let Some(status) = &self.status {
            object.serialize_field("status", &written(status).map_err(S::Error::custom)?)?;
        }
        object.end()
    }
}

/// A document as Kubernetes has it: a member that is null would be one that server-side apply owns.
fn written<D: Model>(document: &D) -> Result<Value, String> {
    let json = upstate::to_json(document).map_err(|error| error.to_string())?;
    let mut value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    if let [form] = D::DEFINITION.forms_of(D::VERSION).as_slice() {
        let mut node = Node::of_root(form, "spec").map_err(|problem| problem.to_string())?;
        node.keep_nulls();
        value::prune(&node, &mut value);
    }
    Ok(value)
}

impl<'de, T: CustomResource> Deserialize<'de> for CustomObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            api_version: String,
            kind: String,
            #[serde(default)]
            metadata: ObjectMeta,
            spec: Value,
            status: Option<Value>,
        }
        let Members {
            api_version,
            kind,
            metadata,
            spec,
            status,
        } = Members::deserialize(deserializer)?;
        let expected = Self::api_version();
        if api_version != expected || kind != T::FACTS.kind {
            let of = T::FACTS.kind;
            return Err(D::Error::custom(format!(
                "the object is a {kind} of {api_version}, and expected is a {of} of {expected}"
            )));
        }
        let spec = read(&spec, "spec").map_err(D::Error::custom)?;
        let status = status
            .map(|status| read(&status, "status"))
            .transpose()
            .map_err(D::Error::custom)?;
        Ok(Self {
            metadata,
            spec,
            status,
        })
    }
}

fn read<D: Model>(value: &Value, part: &str) -> Result<D, String> {
    upstate::from_json(value.to_string()).map_err(|error| format!("{part}: {error}"))
}
