//! A plan, as the author of a resource sees it.

use std::fmt;
use std::marker::PhantomData;

use upstate::schema::{Schema, Type};
use upstate::{AttributePath, CurrentModel, Diagnostics, Object, Value};

use super::computed::put;
use super::nested::{Members, at, place};
use super::{Filled, Fillers, fill, fill_stored, fill_unset, has_unknown, plan_of, with_defaults};
use crate::context::Context;
use crate::diagnostics;
use crate::misnamed::Misnamed;

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

/// The values of a plan, before and after its author's own planning.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) config: Value,
    pub(crate) prior: Value,
    pub(crate) planned: Value,
    /// The attributes that replace the resource; after its author's planning, those that it
    /// requires to.
    pub(crate) replace: Vec<AttributePath>,
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
    misnamed: Misnamed,
    model: PhantomData<fn() -> T>,
}

impl<T: Object> ResourceConfig<T> {
    pub(crate) fn new(value: Value, ty: Type) -> Self {
        Self {
            value,
            ty,
            misnamed: Misnamed::default(),
            model: PhantomData,
        }
    }

    /// The configuration for a call that reports what was misnamed.
    pub(crate) fn noting(self, misnamed: Misnamed) -> Self {
        Self { misnamed, ..self }
    }

    pub(crate) fn misnamed(&self) -> &Misnamed {
        &self.misnamed
    }

    /// The value at a path of these values, which is noted if the schema has no such place.
    #[track_caller]
    fn find<'v>(&self, values: &'v Value, path: &AttributePath) -> &'v Value {
        self.misnamed.check(&self.ty, path);
        at(values, path)
    }

    /// The value of an attribute, by its name or by its path: null if the user did not set it,
    /// [`Value::Unknown`] if it is not known yet. An attribute that the schema does not have is
    /// null, too, and an error once the function is done; in `create` and `update` a warning.
    #[track_caller]
    pub fn get(&self, attribute: impl Into<AttributePath>) -> &Value {
        self.find(&self.value, &attribute.into())
    }

    /// True if all of an attribute is known.
    #[track_caller]
    pub fn is_known(&self, attribute: impl Into<AttributePath>) -> bool {
        !has_unknown(self.get(attribute))
    }

    /// The model, if the whole configuration is known. What the user left out is what its default
    /// says; what is computed is an empty value, or `None`.
    pub fn model(&self) -> Option<T> {
        if has_unknown(&self.value) {
            return None;
        }
        let config = with_defaults(Schema::of::<T>().block(), &self.value).ok()?;
        fill_unset(&config, &self.ty)
            .ok()
            .map(|filled| filled.model)
    }
}

impl<C> Context<C> {
    /// The user's configuration, in `create` and `update`: what is null there was left to a default
    /// or to the provider. `T` is the resource's model. `None` in `read` and `delete`, which get no
    /// configuration.
    pub fn config<T: Object>(&self) -> Option<ResourceConfig<T>> {
        self.configured()
            .map(|(value, ty)| ResourceConfig::<T>::new(value.clone(), ty.clone()))
            .map(|config| config.noting(self.misnamed().clone()))
    }
}

/// Says what is known, not what it is: configured values may be secrets.
impl<T> fmt::Debug for ResourceConfig<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceConfig")
            .field("known", &!has_unknown(&self.value))
            .finish_non_exhaustive()
    }
}

/// The plan of one change to a resource of model `T`, to be looked at and adjusted.
///
/// Defaults are in it. An attribute that is computed and not configured is unknown, unless nothing
/// changes or the resource names it as [stable](crate::ManagedResource::STABLE).
///
/// An attribute is named by its name, or by its path where it is in a list, a map, a nested object
/// or a block. Elements of a set have no path: the set is one value.
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
///
/// In every element of a list:
///
/// ```
/// use upstate::{AttributePath, Diagnostics, Object};
/// use upstate_provider::Planned;
///
/// #[derive(Object)]
/// struct Wall {
///     rules: Vec<Rule>,
/// }
///
/// #[derive(Object)]
/// struct Rule {
///     port: u16,
///     #[attribute(computed)]
///     id: String,
/// }
///
/// /// A rule keeps its id while it has the same port.
/// fn keep_ids(plan: &mut Planned<Wall>) -> Result<(), Diagnostics> {
///     let rules = plan.get("rules").as_list().map_or(0, <[_]>::len);
///     for rule in (0..).take(rules).map(|index| AttributePath::from("rules").index(index)) {
///         if !plan.changes(rule.clone().attribute("port")) {
///             plan.keep(rule.attribute("id"));
///         }
///     }
///     Ok(())
/// }
/// ```
pub struct Planned<T> {
    config: ResourceConfig<T>,
    prior: Value,
    after: Value,
    replace: Vec<AttributePath>,
    /// Those of them that the author's function requires. The others are found again in what it
    /// plans.
    required: Vec<AttributePath>,
    misplaced: Vec<AttributePath>,
}

impl<T: Object> Planned<T> {
    pub(crate) fn new(draft: Draft, ty: Type) -> Self {
        let Draft {
            config,
            prior,
            planned,
            replace,
        } = draft;
        let config = ResourceConfig::new(config, ty);
        Self {
            config,
            prior,
            after: planned,
            replace,
            required: Vec::new(),
            misplaced: Vec::new(),
        }
    }

    /// The plan for a call that reports what was misnamed.
    #[cfg(feature = "testing")]
    pub(crate) fn noting(self, misnamed: Misnamed) -> Self {
        Self {
            config: self.config.noting(misnamed),
            ..self
        }
    }

    /// The plan with the replacements that its author requires, and the paths that were planned and
    /// do not exist.
    pub(crate) fn into_parts(self) -> (Draft, Vec<AttributePath>) {
        let Self {
            config,
            prior,
            after: planned,
            replace: _,
            required: replace,
            misplaced,
        } = self;
        (
            Draft {
                config: config.value,
                prior,
                planned,
                replace,
            },
            misplaced,
        )
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
        if self.prior.is_null() {
            None
        } else {
            fill_stored(&self.prior, &self.config.ty)
                .ok()
                .map(|filled| filled.model)
        }
    }

    /// The planned state; what is not known holds an empty value, or `None`. There is none if the
    /// resource is to be deleted.
    ///
    /// # Errors
    /// The planned values do not fit the model.
    pub fn model(&self) -> Result<Option<T>, Diagnostics> {
        if self.after.is_null() {
            return Ok(None);
        }
        Ok(Some(
            fill(&self.after, &self.config.ty, Fillers::Empty)?.model,
        ))
    }

    /// The plan as [`create`](crate::ManagedResource::create) and `update` get it. There is none if
    /// the resource is to be deleted.
    ///
    /// # Errors
    /// The planned values do not fit the model.
    pub fn plan(&self) -> Result<Option<T::Plan>, Diagnostics>
    where
        T: CurrentModel,
    {
        if self.after.is_null() {
            return Ok(None);
        }
        let Filled { model, value, .. } = fill::<T>(&self.after, &self.config.ty, Fillers::Marked)?;
        Ok(Some(plan_of(model, &value, &self.after, &self.config.ty)))
    }

    /// Plans all that is computed and not configured as a model has it, also in nested objects.
    /// Elements of sets stay as they are planned.
    ///
    /// # Errors
    /// The model can't be encoded.
    pub fn set_model(&mut self, model: &T) -> Result<(), Diagnostics> {
        let encoded =
            upstate::to_msgpack(model).map_err(|error| diagnostics::unencodable(&error))?;
        let from = Value::from_msgpack(&encoded, &self.config.ty)
            .map_err(|error| error.problem().to_owned())?;
        put(
            Members::Block(Schema::of::<T>().block()),
            &self.config.value,
            &from,
            &mut self.after,
        );
        Ok(())
    }

    /// The planned value of an attribute: null if it has none, [`Value::Unknown`] if it is not
    /// known yet. An attribute that the schema does not have is null, too, and an error once the
    /// plan is made.
    #[track_caller]
    pub fn get(&self, attribute: impl Into<AttributePath>) -> &Value {
        self.config.find(&self.after, &attribute.into())
    }

    /// True if all of a planned attribute is known.
    #[track_caller]
    pub fn is_known(&self, attribute: impl Into<AttributePath>) -> bool {
        !has_unknown(self.get(attribute))
    }

    /// True if an attribute changes, or may.
    #[track_caller]
    pub fn changes(&self, attribute: impl Into<AttributePath>) -> bool {
        let path = attribute.into();
        self.config.find(&self.after, &path) != at(&self.prior, &path)
    }

    /// Plans this value for a computed attribute. Terraform holds the provider to it: what is
    /// applied has to be the same.
    ///
    /// A value for an attribute or element that does not exist is refused when the plan is made.
    pub fn set(&mut self, attribute: impl Into<AttributePath>, value: impl Into<Value>) {
        if self.after.is_null() {
            return;
        }
        let path = attribute.into();
        match place(&mut self.after, &path) {
            Some(place) => *place = value.into(),
            None => self.misplaced.push(path),
        }
    }

    /// Leaves a computed attribute to be known when it is applied.
    pub fn set_unknown(&mut self, attribute: impl Into<AttributePath>) {
        self.set(attribute, Value::Unknown);
    }

    /// Plans that a computed attribute stays as it is. In an element that is new there is nothing
    /// to keep.
    pub fn keep(&mut self, attribute: impl Into<AttributePath>) {
        let path = attribute.into();
        // Not into dynamic values, because what is in one has no place of its own in the plan.
        let before = self.prior.get(&path).unwrap_or(&Value::Null);
        if !before.is_null() || path.steps().len() == 1 && !self.prior.is_null() {
            self.set(path, before.clone());
        }
    }

    /// The attributes whose change replaces the resource.
    pub fn replaced_by(&self) -> &[AttributePath] {
        &self.replace
    }

    /// Plans to replace the resource because of this attribute. If the attribute does not change,
    /// Terraform replaces nothing. One that is write-only can't be compared, so that it replaces at
    /// each plan that requires it.
    pub fn require_replace(&mut self, attribute: impl Into<AttributePath>) {
        let path = attribute.into();
        if self.change() != Change::Update {
            return;
        }
        for paths in [&mut self.replace, &mut self.required] {
            if !paths.contains(&path) {
                paths.push(path.clone());
            }
        }
    }
}

/// Says what is planned, not the values: they may be secrets.
impl<T: Object> fmt::Debug for Planned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planned")
            .field("change", &self.change())
            .field("replace", &self.replace)
            .finish_non_exhaustive()
    }
}
