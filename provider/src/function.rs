//! The trait for authors of a function.

use upstate::__internal::Row;
use upstate::codec::Encoding;
use upstate::path::PathStep;
use upstate::registry::Signature;
use upstate::schema::{Presence, Schema, Type};
use upstate::{AttributeType, CurrentModel, Diagnostic, Diagnostics, Severity, Value};

use crate::caught::catch;
use crate::diagnostics;
use crate::plan::{self, ResourceConfig};
use crate::wire::diagnostics::headed;

/// A function that configurations call as `provider::example::name(…)`, with Terraform 1.8 or
/// later.
///
/// The model is the arguments of one call: a field for each parameter, an `Option` where null is
/// taken. Its type name is the function's name, its doc comment describes the function, those of
/// its fields describe the parameters. Checks of fields, such as `range` and `one_of`, judge its
/// arguments. A function has no client, and gives the same result for the same arguments each time.
///
/// Terraform calls no function with a value that is not known yet, also inside an argument: the
/// result is not known yet either. It does for the parameters that
/// [`MAY_BE_UNKNOWN`](Self::MAY_BE_UNKNOWN) names.
///
/// ```
/// use upstate::{AttributePath, Diagnostic, Diagnostics, Resource};
/// use upstate_provider::Function;
///
/// /// Whether a ship fits into a berth.
/// #[derive(Resource)]
/// #[resource(stateless)]
/// struct Fits {
///     /// The length of the berth, in metres.
///     berth: f64,
///     /// The lengths of the ships, in metres.
///     ships: Vec<f64>,
/// }
///
/// impl Function for Fits {
///     const PARAMETERS: &'static [&'static str] = &["berth", "ships"];
///     const VARIADIC: bool = true;
///     type Output = bool;
///
///     fn call(self) -> Result<bool, Diagnostics> {
///         if self.berth < 0.0 {
///             let short = Diagnostic::error("Invalid Berth", "A berth has no negative length.");
///             return Err(short.at(AttributePath::new().attribute("berth")).into());
///         }
///         Ok(self.ships.iter().sum::<f64>() <= self.berth)
///     }
/// }
/// # #[derive(upstate::Object)]
/// # struct Config {}
/// # let provider = upstate_provider::Provider::new("example.com/me/example", async |_: Config| Ok(()));
/// let provider = provider.with_function::<Fits>();
/// # provider.check().unwrap();
/// ```
pub trait Function: CurrentModel + Send {
    /// The fields in the order in which a call gives them. It does not compile unless each field is
    /// there once.
    const PARAMETERS: &'static [&'static str];

    /// True if the last parameter, a list, takes any number of arguments, each an element.
    const VARIADIC: bool = false;

    /// The parameters with whose arguments Terraform calls although they are not known yet, wholly
    /// or in part; then it is [`call_early`](Self::call_early) that is called.
    const MAY_BE_UNKNOWN: &'static [&'static str] = &[];

    /// The type of the result: any type that a field of a model may have.
    type Output: AttributeType;

    /// Computes the result.
    ///
    /// # Errors
    /// The reason why there is none; with the path of a parameter, if that is at fault.
    fn call(self) -> Result<Self::Output, Diagnostics>;

    /// Computes the result of arguments that are not all known, if it is the same whatever they
    /// will be; `None` leaves it unknown.
    ///
    /// # Errors
    /// The reason why there will be none.
    fn call_early(_arguments: &ResourceConfig<Self>) -> Result<Option<Self::Output>, Diagnostics> {
        Ok(None)
    }
}

/// A function without its Rust type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnyFunction {
    pub(crate) arguments: fn() -> &'static Schema,
    pub(crate) parameters: &'static [&'static str],
    pub(crate) variadic: bool,
    pub(crate) output: fn() -> Type,
    may_be_unknown: &'static [&'static str],
    run: fn(Value, &Type) -> Result<Vec<u8>, Diagnostics>,
}

/// The reason why a call has no result.
#[derive(Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) text: String,
    /// The argument at fault, counted from 0.
    pub(crate) argument: Option<usize>,
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self {
            text,
            argument: None,
        }
    }
}

const FAILED: &str = "Unable to Call Function";

impl AnyFunction {
    pub(crate) fn of<F: Function>() -> Self {
        const {
            assert!(
                are_the_fields(F::TABLE.rows, F::PARAMETERS),
                "`PARAMETERS` has to name each field of the function's struct once, and nothing else"
            );
            assert!(
                are_among(F::MAY_BE_UNKNOWN, F::PARAMETERS),
                "`MAY_BE_UNKNOWN` has to name parameters, and nothing else"
            );
        }
        Self {
            arguments: F::schema,
            parameters: F::PARAMETERS,
            variadic: F::VARIADIC,
            output: Type::of::<F::Output>,
            may_be_unknown: F::MAY_BE_UNKNOWN,
            run: run::<F>,
        }
    }

    /// Its name.
    pub(crate) fn signature(&self) -> Signature {
        let parameters = self
            .parameters
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        Signature {
            parameters,
            variadic: self.variadic,
            result: (self.output)(),
        }
    }

    /// The type of the argument at a place; `None` if there is none.
    pub(crate) fn argument_type(&self, at: usize) -> Option<Type> {
        let last = self.parameters.len().checked_sub(1)?;
        let name = self
            .parameters
            .get(at.min(last))
            .filter(|_| at <= last || self.variadic)?;
        let attributes = (self.arguments)().block().attributes();
        let ty = attributes
            .iter()
            .find(|attribute| attribute.name() == *name)?
            .implied_type();
        match ty {
            Type::List(element) if self.variadic && at >= last => Some((*element).clone()),
            ty => Some(ty),
        }
    }

    /// True if an argument of the parameter at a place may be null.
    pub(crate) fn takes_null(&self, at: usize) -> bool {
        let attributes = (self.arguments)().block().attributes();
        let named = self.parameters.get(at).and_then(|name| {
            attributes
                .iter()
                .find(|attribute| attribute.name() == *name)
        });
        // Each of several arguments may be null, and never the list of them, because it is what is
        // made of them.
        let is_several = at >= self.fixed();
        named.is_some_and(|attribute| {
            if is_several {
                attribute.taken_inside().contains_key("[*]?")
            } else {
                attribute.presence() != Presence::Required
            }
        })
    }

    /// True if an argument of the parameter at a place may be unknown.
    pub(crate) fn takes_unknown(&self, at: usize) -> bool {
        self.parameters
            .get(at)
            .is_some_and(|name| self.may_be_unknown.contains(name))
    }

    /// The number of parameters that take one argument each.
    pub(crate) fn fixed(&self) -> usize {
        self.parameters
            .len()
            .saturating_sub(usize::from(self.variadic))
    }

    /// Refuses a call with too many arguments, or too few.
    pub(crate) fn takes(&self, given: usize) -> Result<(), Failure> {
        let fixed = self.fixed();
        if given == fixed || given > fixed && self.variadic {
            return Ok(());
        }
        let more = if self.variadic { " or more" } else { "" };
        Err(format!("Expected {fixed}{more} arguments, found {given}.").into())
    }

    /// The result, as `MessagePack`.
    pub(crate) fn call(&self, arguments: Vec<Value>) -> Result<Vec<u8>, Failure> {
        self.takes(arguments.len())?;
        let (fixed, given) = (self.fixed(), arguments.len());
        let mut arguments = arguments.into_iter();
        let mut members: Vec<(String, Value)> = self
            .parameters
            .iter()
            .take(fixed)
            .map(|name| (*name).to_owned())
            .zip(arguments.by_ref())
            .collect();
        if let Some(name) = self.parameters.last().filter(|_| self.variadic) {
            members.push(((*name).to_owned(), Value::List(arguments.collect())));
        }
        let (schema, arguments): (_, Value) = ((self.arguments)(), members.into_iter().collect());
        // A check may be an author's function, which may panic.
        let refused = catch(true, || plan::broken(schema, &arguments));
        let refused = refused.unwrap_or_else(|| diagnostics::panicked(FAILED, "function").into());
        if refused.iter().any(|it| it.severity() == Severity::Error) {
            return Err(self.failure(refused, given));
        }
        (self.run)(arguments, &schema.block().implied_type())
            .map_err(|errors| self.failure(errors, given))
    }

    fn failure(&self, errors: Diagnostics, given: usize) -> Failure {
        let errors = headed(errors, FAILED);
        let errors: Vec<&Diagnostic> = errors
            .iter()
            .filter(|it| it.severity() == Severity::Error)
            .collect();
        let line = |error: &&Diagnostic| match error.summary() {
            // Without the summary, because Terraform names the argument, and the detail says what
            // is wrong with it.
            FAILED | diagnostics::INVALID_VALUE => error.detail().to_owned(),
            summary => format!("{summary}: {}", error.detail()),
        };
        // Only one of the call, because a variadic parameter may have no argument.
        let of = |error: &&Diagnostic| {
            self.argument(error.path()?.steps())
                .filter(|argument| *argument < given)
        };
        let argument = errors.iter().find_map(of);
        Failure {
            text: errors.iter().map(line).collect::<Vec<_>>().join("\n\n"),
            argument,
        }
    }

    /// The argument that a path leads to.
    fn argument(&self, steps: &[PathStep]) -> Option<usize> {
        let (PathStep::Attribute(name), rest) = steps.split_first()? else {
            return None;
        };
        let at = self
            .parameters
            .iter()
            .position(|parameter| parameter == name)?;
        match rest.first() {
            Some(PathStep::Index(index)) if self.variadic && at + 1 == self.parameters.len() => {
                at.checked_add(usize::try_from(*index).ok()?)
            }
            _ => Some(at),
        }
    }
}

fn run<F: Function>(arguments: Value, ty: &Type) -> Result<Vec<u8>, Diagnostics> {
    // Arguments may be secrets, and do not say so.
    let result = if plan::has_unknown(&arguments) {
        let arguments = ResourceConfig::<F>::new(arguments, ty.clone());
        let early = catch(true, || F::call_early(&arguments));
        match arguments.misnamed().report() {
            Some(mistake) => Some(Err(Diagnostics::from(mistake))),
            None => early,
        }
    } else {
        let function = plan::fill::<F>(&arguments, ty, plan::Fillers::Empty)?.model;
        drop(arguments);
        catch(true, || function.call().map(Some))
    };
    match result.unwrap_or_else(|| Err(diagnostics::panicked(FAILED, "function").into()))? {
        Some(output) => upstate::codec::attribute_to_msgpack(&output)
            .map_err(|error| diagnostics::unencodable_result(FAILED, &error).into()),
        None => Value::Unknown
            .encode(&Type::of::<F::Output>(), Encoding::Msgpack)
            .map_err(|error| diagnostics::unfit_value("result", &error).into()),
    }
}

/// True if each of the names is one of all.
const fn are_among(mut names: &[&str], all: &[&str]) -> bool {
    while let [name, rest @ ..] = names {
        let (mut others, mut found) = (all, false);
        while let [other, rest @ ..] = others {
            found |= same(name, other);
            others = rest;
        }
        if !found {
            return false;
        }
        names = rest;
    }
    true
}

/// True if the names are those of the fields, each once.
const fn are_the_fields(rows: &[Row], names: &[&str]) -> bool {
    if rows.len() != names.len() {
        return false;
    }
    let mut rows = rows;
    while let [row, rest @ ..] = rows {
        let mut names = names;
        let mut found = false;
        while let [name, rest @ ..] = names {
            found |= same(row.name, name);
            names = rest;
        }
        if !found {
            return false;
        }
        rows = rest;
    }
    true
}

/// True if two strings are equal, in const evaluation.
pub(crate) const fn same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, rest @ ..], [second, others @ ..]) = (one, other) {
        if *first != *second {
            return false;
        }
        (one, other) = (rest, others);
    }
    one.is_empty() && other.is_empty()
}

#[cfg(test)]
mod tests {
    use upstate::{AttributePath, Object, Resource};

    use super::*;

    /// Joins names.
    #[derive(Resource)]
    struct Join {
        with: Option<String>,
        names: Vec<String>,
    }

    impl Function for Join {
        const PARAMETERS: &'static [&'static str] = &["with", "names"];
        const VARIADIC: bool = true;
        type Output = String;

        fn call(self) -> Result<String, Diagnostics> {
            assert!(self.names.len() < 4, "too many names");
            if self.names.len() == 3 {
                return Err("three are none".into());
            }
            match self.names.iter().position(String::is_empty) {
                None => Ok(self.names.join(self.with.as_deref().unwrap_or("-"))),
                Some(at) => {
                    let path = AttributePath::new().attribute("names").index(at as u64);
                    Err(Diagnostic::error("Invalid Name", "It is empty.")
                        .at(path)
                        .into())
                }
            }
        }
    }

    fn call(arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        let value = |text: &&str| {
            if text.is_empty() {
                Value::Null
            } else {
                Value::from(text.trim())
            }
        };
        AnyFunction::of::<Join>().call(arguments.iter().map(value).collect())
    }

    #[test]
    fn arguments_are_taken_in_order_and_the_rest_is_a_list() {
        assert_eq!(call(&["+", "a", "b"]).unwrap(), b"\xa3a+b");
        assert_eq!(call(&["", "a", "b"]).unwrap(), b"\xa3a-b");
        assert_eq!(call(&["+"]).unwrap(), b"\xa0");
        let types = (0..4).map(|at| AnyFunction::of::<Join>().argument_type(at));
        assert_eq!(types.collect::<Vec<_>>(), [const { Some(Type::String) }; 4]);
    }

    #[test]
    fn an_error_names_the_argument() {
        let failure = |text: &str, argument| Failure {
            text: text.to_owned(),
            argument,
        };
        assert_eq!(
            call(&["+", "a", " "]),
            Err(failure("Invalid Name: It is empty.", Some(2)))
        );
        assert_eq!(
            call(&["+", "a", "b", "c"]),
            Err(failure("three are none", None))
        );
        assert_eq!(
            call(&[]),
            Err(failure("Expected 1 or more arguments, found 0.", None))
        );
        assert_eq!(call(&["+", ""]).unwrap_err().argument, Some(1));
        let panicked = call(&["+", "a", "b", "c", "d"]).unwrap_err();
        assert!(
            panicked.text.starts_with("The function panicked."),
            "{panicked:?}"
        );
    }

    /// The first name that is there.
    #[derive(Resource)]
    struct First {
        otherwise: Option<String>,
        names: Vec<Option<String>>,
    }

    impl Function for First {
        const PARAMETERS: &'static [&'static str] = &["otherwise", "names"];
        const VARIADIC: bool = true;
        const MAY_BE_UNKNOWN: &'static [&'static str] = &["names"];
        type Output = String;

        fn call(self) -> Result<String, Diagnostics> {
            Ok(self
                .names
                .into_iter()
                .flatten()
                .next()
                .or(self.otherwise)
                .unwrap_or_default())
        }

        fn call_early(arguments: &ResourceConfig<Self>) -> Result<Option<String>, Diagnostics> {
            match arguments
                .get(AttributePath::from("names").index(0))
                .as_str()
            {
                Some("") => Err("The first is empty.".into()),
                first => Ok(first.map(str::to_owned)),
            }
        }
    }

    #[test]
    fn what_is_not_known_matters_to_the_author() {
        let call = |arguments: &[Value]| AnyFunction::of::<First>().call(arguments.to_vec());
        assert_eq!(
            call(&[Value::Null, Value::Null, "b".into()]),
            Ok(b"\xa1b".to_vec())
        );
        assert_eq!(
            call(&[Value::Null, "a".into(), Value::Unknown]),
            Ok(b"\xa1a".to_vec())
        );
        // An unknown value as Terraform has it, because nobody knows the first.
        assert_eq!(
            call(&[Value::Null, Value::Unknown, "b".into()]),
            Ok(vec![0xd4, 0, 0])
        );
        let refused = Failure {
            text: "The first is empty.".to_owned(),
            argument: None,
        };
        assert_eq!(
            call(&[Value::Null, "".into(), Value::Unknown]),
            Err(refused)
        );
        assert!(
            are_among(&["a"], &["b", "a"])
                && are_among(&[], &[])
                && !are_among(&["a", "c"], &["a", "b"])
        );
    }

    /// The number of all names.
    #[derive(Resource)]
    struct Count {
        names: Option<Vec<String>>,
    }

    impl Function for Count {
        const PARAMETERS: &'static [&'static str] = &["names"];
        const VARIADIC: bool = true;
        type Output = u64;

        fn call(self) -> Result<u64, Diagnostics> {
            Ok(self.names.map_or(0, |names| names.len() as u64))
        }
    }

    #[test]
    fn null_and_unknown_arguments_are_announced() {
        let taken = |function: AnyFunction| {
            [0, 1].map(|at| (function.takes_null(at), function.takes_unknown(at)))
        };
        assert_eq!(
            taken(AnyFunction::of::<First>()),
            [(true, false), (true, true)]
        );
        assert_eq!(
            taken(AnyFunction::of::<Join>()),
            [(true, false), (false, false)]
        );
        // Nothing is null here, because the list never is, and its elements cannot be.
        assert_eq!(
            taken(AnyFunction::of::<Count>()),
            [(false, false), (false, false)]
        );
    }

    /// The angle after turns to some sides.
    #[derive(Resource)]
    struct Turned {
        #[attribute(range = 0..=360)]
        angle: i64,
        #[attribute(length = 1.., each(one_of("left", "right")))]
        sides: Vec<String>,
    }

    impl Function for Turned {
        const PARAMETERS: &'static [&'static str] = &["angle", "sides"];
        const VARIADIC: bool = true;
        type Output = i64;

        fn call(self) -> Result<i64, Diagnostics> {
            let turns = self
                .sides
                .iter()
                .map(|side| if side == "left" { -90 } else { 90 });
            Ok(self.angle + turns.sum::<i64>())
        }
    }

    #[test]
    fn checks_of_fields_are_checks_of_arguments() {
        let call = |angle: i64, sides: &[&str]| {
            let sides = sides.iter().map(|side| Value::from(*side));
            AnyFunction::of::<Turned>()
                .call(std::iter::once(Value::from(angle)).chain(sides).collect())
        };
        let failure = |text: &str, argument| {
            Err(Failure {
                text: text.to_owned(),
                argument,
            })
        };
        assert_eq!(call(10, &["right", "left"]), Ok(vec![10]));
        assert_eq!(
            call(400, &["left"]),
            failure("angle must be between 0 and 360.", Some(0))
        );
        assert_eq!(
            call(10, &["right", "up"]),
            failure("sides[1] must be \"left\" or \"right\".", Some(2))
        );
        assert_eq!(
            call(10, &[]),
            failure("sides must have at least 1 element, and has 0.", None)
        );
    }

    #[test]
    fn every_field_has_to_be_a_parameter() {
        let rows = Join::TABLE.rows;
        assert!(are_the_fields(rows, &["names", "with"]));
        for names in [
            &["names"][..],
            &["names", "names"],
            &["names", "with", "with"],
            &["names", "wit"],
            &["names", "without"],
        ] {
            assert!(!are_the_fields(rows, names), "{names:?}");
        }
    }
}
