//! `ConversionReview` of `apiextensions.k8s.io/v1`: what the server sends, and what it wants back.

use std::borrow::Cow;
use std::collections::BTreeMap;

use upstate::__internal::write_string;

use crate::convert::{self, Converted};
use crate::crd::check_conversion;
use crate::error::CrdError;
use crate::facts::Facts;
use crate::kept::Fates;
use crate::model::Model;
use crate::resource::{CustomResource, model};
use crate::wire::{self, Object};

/// The longest review that is read. Objects have at most 1.5 MB; a server that sends several in one
/// review is not known to send more than these.
pub const LARGEST_REVIEW: usize = 8 * 1024 * 1024;

/// The number of objects that a message names.
const NAMED: usize = 3;

/// Converts objects of custom resources between all of their versions, in both directions.
///
/// It is a plain function over bytes: whoever serves the webhook calls [`review`](Self::review)
/// with the body of a request.
///
/// - Values that the wanted version cannot hold go into an annotation,
///   `ferry.example.com/upstate-v1`, and come back from there, unless the client has changed their
///   place since. `metadata` is otherwise as it was. Whoever edits the annotation writes those
///   values: types and limits of the version are judged, its rules of CEL are not.
/// - Partial objects, which server-side apply sends, become what they have in the wanted version.
/// - Defaults of the wanted version are applied, and the object is judged by its schema, since the
///   server does neither.
///
/// ```
/// use serde_json::{Value, json};
/// use upstate::Document;
/// use upstate_kube::Converter;
///
/// #[derive(Debug, PartialEq, Document)]
/// #[document(type_name = "ferry.boat", version = 1)]
/// #[upgrade_from(0 => 1, rename(colour => paint))]
/// #[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1alpha1"), version(1 = "v1", storage))]
/// struct Boat { paint: String }
///
/// let converter = Converter::new().with::<Boat>()?;
/// let boat = json!({
///     "apiVersion": "ferry.example.com/v1", "kind": "Boat", "metadata": {"name": "b0"}, "spec": {"paint": "red"},
/// });
/// let review = json!({
///     "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
///     "request": {"uid": "1", "desiredAPIVersion": "ferry.example.com/v1alpha1", "objects": [boat]},
/// });
/// let answer = converter.review(review.to_string().as_bytes())?;
/// let answer: Value = serde_json::from_slice(answer.body())?;
/// assert_eq!(answer["response"]["convertedObjects"][0]["spec"], json!({"colour": "red"}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Converter {
    models: BTreeMap<(&'static str, &'static str), Model>,
    drops: bool,
}

/// The answer to a review.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    body: Vec<u8>,
    converted: usize,
    failure: Option<String>,
    fates: Fates,
    lost: usize,
}

/// Bytes that are not a review, so that there is no answer: an HTTP status 400 says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAReview {
    problem: String,
}

impl Converter {
    /// A converter of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a custom resource.
    ///
    /// # Errors
    /// Kubernetes cannot describe a version, an older version can hold no object of the current
    /// one, or another model has the kind or the plural in this group.
    pub fn with<T: CustomResource>(mut self) -> Result<Self, CrdError> {
        let model = model::<T>()?;
        check_conversion(&model)?;
        // Otherwise objects of one would be converted by the versions of the other.
        if let Some(Model { facts: known, .. }) = self
            .models
            .values()
            .find(|known| known.facts.shares_name(T::FACTS))
        {
            let Facts {
                group,
                kind,
                plural,
                ..
            } = known;
            return Err(CrdError::new(
                T::FACTS,
                format!(
                    "the group {group} has `{}` already, with the kind `{kind}` and the plural `{plural}`",
                    known.rust_name
                ),
                "give one of the two another group, or another `kind` and `plural`; if they are one resource, add it once",
            ));
        }
        self.models.insert((T::FACTS.group, T::FACTS.kind), model);
        Ok(self)
    }

    /// Answers with an object also where values that its version cannot hold have no room in an
    /// annotation. Otherwise such a review fails, and with it every list that has the object;
    /// either way the object in the storage version is as it was.
    #[must_use]
    pub fn drop_too_large(mut self) -> Self {
        self.drops = true;
        self
    }

    /// Answers a review.
    ///
    /// An object that cannot be converted fails the review, in the words that Kubernetes shows to
    /// the client: which objects, and why.
    ///
    /// # Errors
    /// The bytes are not a review, so that nobody waits for an answer.
    pub fn review(&self, body: &[u8]) -> Result<Answer, NotAReview> {
        let review = parse(body)?;
        // An eighth more, since an object gains annotations and longer names at most.
        let mut out = Vec::with_capacity(body.len() + body.len() / 8);
        let (mut fates, mut lost, mut converted, mut failures) =
            (Fates::default(), 0, 0, Vec::new());
        out.extend_from_slice(BEFORE_UID);
        write_string(&review.uid, &mut out);
        let before_result = out.len();
        out.extend_from_slice(BEFORE_OBJECTS);
        for object in (1..).zip(review.objects) {
            if converted > 0 {
                out.push(b',');
            }
            match self.object(object, &review.version, &mut out) {
                Ok(made) => {
                    fates.add(made.fates);
                    lost += made.lost;
                    converted += 1;
                }
                Err(problem) => failures.push(problem),
            }
        }
        let failure = (!failures.is_empty()).then(|| {
            let more = match failures.len().saturating_sub(NAMED) {
                0 => String::new(),
                1 => "; and 1 more object".to_owned(),
                more => format!("; and {more} more objects"),
            };
            failures.truncate(NAMED);
            format!("{}{more}", failures.join("; "))
        });
        if let Some(message) = &failure {
            converted = 0;
            out.truncate(before_result);
            out.extend_from_slice(BEFORE_MESSAGE);
            write_string(message, &mut out);
            out.extend_from_slice(b"}}}");
        } else {
            out.extend_from_slice(b"]}}");
        }
        Ok(Answer {
            body: out,
            converted,
            failure,
            fates,
            lost,
        })
    }

    fn object(
        &self,
        (number, object): (usize, Option<Object<'_>>),
        wanted: &str,
        out: &mut Vec<u8>,
    ) -> Result<Converted, String> {
        let Some(object) = object else {
            return Err(convert::unnamed(number, "is not an object"));
        };
        let Some(kind) = object.kind.clone() else {
            return Err(convert::unnamed(number, "has no kind"));
        };
        let (group, version) = wanted.split_once('/').unwrap_or(("", wanted));
        let found = self
            .models
            .get_key_value(&(group, &*kind))
            .map(|(_, model)| model);
        let model = found.ok_or_else(|| {
            let known = self.models.values().map(|model| model.facts.crd_name());
            let known: Vec<String> = known.collect();
            let known = if known.is_empty() {
                "nothing has one".to_owned()
            } else {
                format!("those with one are {}", known.join(", "))
            };
            let problem = format!(
                "has the kind \"{}\", which has no converter for the group \"{}\"; {known}",
                convert::start(&kind),
                convert::start(group)
            );
            convert::unnamed(number, &problem)
        })?;
        let to = model.names(wanted).ok_or_else(|| {
            let known: Vec<&str> = model
                .facts
                .versions
                .iter()
                .map(|version| version.name)
                .collect();
            format!(
                "{} has no version \"{}\"; it has {}",
                model.facts.crd_name(),
                convert::start(version),
                known.join(", ")
            )
        })?;
        convert::object(model, (number, object), to, self.drops, out)
    }
}

const BEFORE_UID: &[u8] =
    br#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"#;
const BEFORE_OBJECTS: &[u8] = br#","result":{"status":"Success"},"convertedObjects":["#;
const BEFORE_MESSAGE: &[u8] = br#","result":{"status":"Failed","message":"#;

/// The request of a review.
struct Review<'v> {
    uid: Cow<'v, str>,
    version: Cow<'v, str>,
    objects: Vec<Option<Object<'v>>>,
}

fn refuse<T>(problem: impl Into<String>) -> Result<T, NotAReview> {
    Err(NotAReview {
        problem: problem.into(),
    })
}

fn parse(body: &[u8]) -> Result<Review<'_>, NotAReview> {
    if body.len() > LARGEST_REVIEW {
        return refuse(format!(
            "it has {} bytes, and {LARGEST_REVIEW} are read; ask for fewer objects at a time",
            body.len()
        ));
    }
    // serde_json's own message could quote what is in the body.
    let review = wire::review(body).or_else(|error| {
        refuse(format!(
            "line {}, column {} is not JSON",
            error.line(),
            error.column()
        ))
    })?;
    for (member, found, wanted) in [
        ("kind", &review.kind, "ConversionReview"),
        ("apiVersion", &review.api_version, "apiextensions.k8s.io/v1"),
    ] {
        match found.as_deref() {
            Some(found) if found == wanted => {}
            Some(found) => {
                let found = convert::start(found);
                return refuse(format!("its {member} is \"{found}\", not {wanted:?}"));
            }
            None => return refuse(format!("it has no {member}")),
        }
    }
    let Some(request) = review.request else {
        return refuse("it has no request");
    };
    let Some(uid) = request.uid else {
        return refuse("its request has no uid");
    };
    let Some(version) = request.version else {
        return refuse("its request has no desiredAPIVersion");
    };
    let Some(objects) = request.objects else {
        return refuse("its request has no objects");
    };
    Ok(Review {
        uid,
        version,
        objects,
    })
}

impl Answer {
    /// The body, which is JSON and goes out with HTTP status 200 also where the conversion failed.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body alone.
    #[must_use]
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// The number of objects in the answer.
    #[must_use]
    pub fn converted(&self) -> usize {
        self.converted
    }

    /// The message of a conversion that failed. It names objects and places, and no secret.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The number of values that came back from an annotation.
    #[must_use]
    pub fn restored(&self) -> usize {
        self.fates.restored
    }

    /// The number of kept values whose place a client has changed since, so that they ended.
    #[must_use]
    pub fn superseded(&self) -> usize {
        self.fates.superseded
    }

    /// The number of kept values, or whole annotations, that fit nowhere: somebody edited them.
    #[must_use]
    pub fn ignored(&self) -> usize {
        self.fates.ignored
    }

    /// The number of values that the version cannot hold and that are in no annotation; see
    /// [`Converter::drop_too_large`].
    #[must_use]
    pub fn lost(&self) -> usize {
        self.lost
    }
}

upstate::__debug_parts! {
    /// Says how long the body is and not what is in it: objects may hold secrets.
    Answer |self| {
        bytes: self.body.len(),
        converted: self.converted,
        failure: self.failure,
    }
}

upstate::__error! {
    NotAReview |self|
    "The request is not a ConversionReview of apiextensions.k8s.io/v1: {}.", self.problem
}
