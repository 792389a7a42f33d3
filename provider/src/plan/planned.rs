//! What the author of a resource sees of a plan.

use std::fmt;
use std::marker::PhantomData;

use upstate::schema::{Attribute, Schema, Type};
use upstate::{AttributePath, Diagnostics, Object, Value};

use super::nested::member;
use super::unknown::is_computed;
use super::{fill, has_unknown};

/// The kind of change that a plan makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// There is nothing yet.
    Create,
    /// It is there and will be changed, or replaced.
    Update,
    /// It is there and will be deleted.
    Delete,
}

/// The user's configuration of one resource of model `T`; parts of it may not be known yet.
///
/// ```
/// use upstate::{AttributePath, Diagnostic, Diagnostics, Object};
/// use upstate_provider::ResourceConfig;
///
/// #[derive(Object)]
/// struct Greeting {
///     name: String,
/// }
///
/// fn check(config: &ResourceConfig<Greeting>) -> Result<(), Diagnostics> {
///     if config.get("name").as_str() == Some("") {
///         let empty = Diagnostic::error("Invalid Name", "The name is empty: give one of at least one letter.");
///         return Err(empty.at(AttributePath::new().attribute("name")).into());
///     }
///     Ok(())
/// }
/// ```
pub struct ResourceConfig<T> {
    value: Value,
    ty: Type,
    model: PhantomData<fn() -> T>,
}

impl<T: Object> ResourceConfig<T> {
    pub(crate) fn new(value: Value, ty: Type) -> Self {
        Self { value, ty, model: PhantomData }
    }

    /// The value of an attribute: null if the user did not set it, [`Value::Unknown`] if it is not known yet.
    pub fn get(&self, attribute: &str) -> &Value {
        member(&self.value, attribute)
    }

    /// Whether all of an attribute is known.
    pub fn is_known(&self, attribute: &str) -> bool {
        !has_unknown(self.get(attribute))
    }

    /// The model, if the whole configuration is known. Computed attributes that the user did not set hold an empty value, or `None`.
    pub fn model(&self) -> Option<T> {
        if has_unknown(&self.value) {
            return None;
        }
        fill(&with_unset_unknown::<T>(&self.value), &self.ty).ok().map(|filled| filled.model)
    }
}

/// What is computed and not set is not known, for the purpose of making a model.
pub(crate) fn with_unset_unknown<T: Object>(config: &Value) -> Value {
    let mut value = config.clone();
    if let Value::Map(members) = &mut value {
        let filled = |attribute: &&Attribute| attribute.default_json().is_some() || is_computed(attribute);
        for attribute in Schema::of::<T>().block().attributes().iter().filter(filled) {
            let value = members.entry(attribute.name().to_owned()).or_default();
            if value.is_null() {
                *value = Value::Unknown;
            }
        }
    }
    value
}

/// Says what is known, not what it is: configured values may be secrets.
impl<T> fmt::Debug for ResourceConfig<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceConfig").field("known", &!has_unknown(&self.value)).finish_non_exhaustive()
    }
}

/// The plan of one change to a resource of model `T`, to be looked at and adjusted.
///
/// Defaults are in it. An attribute that is computed and not configured is unknown, unless nothing changes or the resource names it
/// as [stable](crate::ManagedResource::STABLE).
///
/// ```
/// use upstate::{Diagnostics, Object};
/// use upstate_provider::{Change, Planned};
///
/// #[derive(Object)]
/// struct Greeting {
///     #[attribute(computed)]
///     id: String,
///     name: String,
/// }
///
/// /// Says in the plan what the id will be, where the name is known.
/// fn foresee(plan: &mut Planned<Greeting>) -> Result<(), Diagnostics> {
///     if plan.change() == Change::Create
///         && let Some(name) = plan.get("name").as_str()
///     {
///         let id = format!("hello-{name}");
///         plan.set("id", id);
///     }
///     Ok(())
/// }
/// ```
pub struct Planned<T> {
    config: ResourceConfig<T>,
    prior: Value,
    after: Value,
    replace: Vec<AttributePath>,
}

impl<T: Object> Planned<T> {
    pub(crate) fn new(config: Value, prior: Value, planned: Value, replace: Vec<AttributePath>, ty: Type) -> Self {
        Self { config: ResourceConfig::new(config, ty), prior, after: planned, replace }
    }

    pub(crate) fn into_parts(self) -> (Value, Vec<AttributePath>) {
        (self.after, self.replace)
    }

    /// The kind of change that the plan makes.
    pub fn change(&self) -> Change {
        match (&self.prior, &self.after) {
            (Value::Null, _) => Change::Create,
            (_, Value::Null) => Change::Delete,
            _ => Change::Update,
        }
    }

    /// The user's configuration.
    pub fn config(&self) -> &ResourceConfig<T> {
        &self.config
    }

    /// The state before, if there is one.
    pub fn prior(&self) -> Option<T> {
        if self.prior.is_null() { None } else { fill(&self.prior, &self.config.ty).ok().map(|filled| filled.model) }
    }

    /// The planned state; what is not known holds an empty value, or `None`. There is none if the resource is to be deleted.
    ///
    /// # Errors
    /// The planned values do not fit the model.
    pub fn model(&self) -> Result<Option<T>, Diagnostics> {
        if self.after.is_null() {
            return Ok(None);
        }
        Ok(Some(fill(&self.after, &self.config.ty)?.model))
    }

    /// The planned value of an attribute: null if it has none, [`Value::Unknown`] if it is not known yet.
    pub fn get(&self, attribute: &str) -> &Value {
        member(&self.after, attribute)
    }

    /// Whether all of a planned attribute is known.
    pub fn is_known(&self, attribute: &str) -> bool {
        !has_unknown(self.get(attribute))
    }

    /// Whether an attribute changes, or may.
    pub fn changes(&self, attribute: &str) -> bool {
        self.get(attribute) != member(&self.prior, attribute)
    }

    /// Plans this value for a computed attribute. Terraform holds the provider to it: what is applied has to be the same.
    pub fn set(&mut self, attribute: &str, value: impl Into<Value>) {
        if let Some(members) = self.after.as_map_mut() {
            members.insert(attribute.to_owned(), value.into());
        }
    }

    /// Leaves a computed attribute to be known when it is applied.
    pub fn set_unknown(&mut self, attribute: &str) {
        self.set(attribute, Value::Unknown);
    }

    /// Plans that a computed attribute stays as it is.
    pub fn keep(&mut self, attribute: &str) {
        if !self.prior.is_null() {
            self.set(attribute, member(&self.prior, attribute).clone());
        }
    }

    /// Plans to replace the resource because of this attribute.
    pub fn require_replace(&mut self, attribute: &str) {
        let path = AttributePath::new().attribute(attribute.to_owned());
        if self.change() == Change::Update && !self.replace.contains(&path) {
            self.replace.push(path);
        }
    }
}

/// Says what is planned, not the values: they may be secrets.
impl<T: Object> fmt::Debug for Planned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planned").field("change", &self.change()).field("replace", &self.replace).finish_non_exhaustive()
    }
}
