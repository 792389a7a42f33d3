//! Templates of pages, in the part of the language of `tfplugindocs` that pages use: fields,
//! functions, `if` and `range`.

use std::collections::BTreeMap;
use std::fs;
use std::iter::Peekable;
use std::path::Path;
use std::slice::Iter;
use std::vec::IntoIter;

/// The fields that a template can name.
pub(super) type Fields = BTreeMap<&'static str, Value>;

/// A value in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Bool(bool),
    List(Vec<String>),
}

impl Value {
    fn is_true(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Bool(value) => *value,
            Self::List(values) => !values.is_empty(),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Bool(value) => value.to_string(),
            Self::List(values) => format!("[{}]", values.join(" ")),
        }
    }

    /// The values that a `range` goes through.
    fn into_list(self) -> Result<Vec<String>, String> {
        match self {
            Self::List(values) => Ok(values),
            Self::Text(_) | Self::Bool(_) => {
                Err("`range` takes a list, such as `.ExampleFiles`".to_owned())
            }
        }
    }
}

/// The functions, with what they take.
const FUNCTIONS: [(&str, &str); 13] = [
    ("and", "values"),
    ("codefile", "a language and the path of a file"),
    ("eq", "two values"),
    ("lower", "a string"),
    ("ne", "two values"),
    ("not", "a value"),
    ("or", "values"),
    ("plainmarkdown", "a string"),
    ("prefixlines", "a prefix and a string"),
    ("printf", "a format and values"),
    ("tffile", "the path of a file"),
    ("trimspace", "a string"),
    ("upper", "a string"),
];

/// A part of a template.
enum Piece<'t> {
    Text(&'t str),
    /// The words in braces, and their line.
    Action {
        line: usize,
        text: &'t str,
    },
}

/// An `if` or a `range` whose `end` is not reached yet.
struct Branch {
    word: &'static str,
    line: usize,
    /// True if what is read now is on the page.
    is_taken: bool,
    /// True if no later part can be.
    is_done: bool,
    /// The piece behind the word, at which each further value of a `range` begins.
    begin: usize,
    /// The value of `.` in a `range`.
    value: Option<String>,
    /// The values of a `range` after that.
    rest: IntoIter<String>,
}

/// The page that a template makes, which reads files below a folder.
pub(super) fn render(template: &str, fields: &Fields, root: &Path) -> Result<String, String> {
    let (mut made, mut branches) = (String::new(), Vec::<Branch>::new());
    let (pieces, mut next) = (pieces(template)?, 0_usize);
    while let Some(piece) = pieces.get(next) {
        next += 1;
        let is_reached = branches.iter().all(|branch| branch.is_taken);
        let (line, text) = match *piece {
            Piece::Text(text) => {
                made.push_str(if is_reached { text } else { "" });
                continue;
            }
            Piece::Action { line, text } => (line, text),
        };
        let value = branches
            .iter()
            .rev()
            .find_map(|branch| branch.value.clone());
        let known = Known {
            fields,
            root,
            value: value.as_deref(),
        };
        let at = |problem: String| format!("line {line}: {problem}");
        let (word, rest) = first_word(text);
        match word {
            "if" => {
                let is_taken = is_reached && known.evaluated(rest).map_err(at)?.is_true();
                let is_done = is_taken || !is_reached;
                let rest = Vec::new().into_iter();
                branches.push(Branch {
                    word: "if",
                    line,
                    is_taken,
                    is_done,
                    begin: next,
                    value: None,
                    rest,
                });
            }
            "range" => {
                let values = if is_reached {
                    known
                        .evaluated(rest)
                        .and_then(Value::into_list)
                        .map_err(at)?
                } else {
                    Vec::new()
                };
                let mut rest = values.into_iter();
                let value = rest.next();
                let is_taken = value.is_some();
                let is_done = is_taken || !is_reached;
                branches.push(Branch {
                    word: "range",
                    line,
                    is_taken,
                    is_done,
                    begin: next,
                    value,
                    rest,
                });
            }
            "else" => {
                let Some(branch) = branches.last_mut() else {
                    return Err(at("`else` has no `if` or `range`".to_owned()));
                };
                branch.is_taken = !branch.is_done
                    && match rest.trim_start().strip_prefix("if") {
                        Some(condition) => known.evaluated(condition).map_err(at)?.is_true(),
                        None => true,
                    };
                branch.is_done |= branch.is_taken;
            }
            "end" => {
                let Some(branch) = branches.last_mut() else {
                    return Err(at("`end` has no `if` or `range`".to_owned()));
                };
                match branch.rest.next() {
                    Some(value) => {
                        (branch.is_taken, branch.value, next) = (true, Some(value), branch.begin);
                    }
                    None => drop(branches.pop()),
                }
            }
            "with" | "define" | "template" | "block" => {
                return Err(at(format!(
                    "`{word}` is not understood; there are fields, functions, `if` and `range`"
                )));
            }
            _ if is_reached => made.push_str(&known.evaluated(text).map_err(at)?.shown()),
            _ => {}
        }
    }
    match branches.last() {
        Some(branch) => Err(format!(
            "line {}: `{}` has no `end`",
            branch.line, branch.word
        )),
        None => Ok(made.trim().to_owned() + "\n"),
    }
}

/// The strings and the actions of a template. An action with `-` takes away the blanks beside it.
fn pieces(template: &str) -> Result<Vec<Piece<'_>>, String> {
    let (mut pieces, mut rest, mut line, mut trims) = (Vec::new(), template, 1_usize, false);
    while let Some((before, inside)) = rest.split_once("{{") {
        line += before.matches('\n').count();
        let (action, after) =
            split_action(inside).ok_or_else(|| format!("line {line}: `{{{{` has no `}}}}`"))?;
        let from = action
            .strip_prefix('-')
            .filter(|action| action.starts_with(char::is_whitespace));
        let text = from.unwrap_or(action);
        let to = text
            .strip_suffix('-')
            .filter(|text| text.ends_with(char::is_whitespace));
        let before = if trims { before.trim_start() } else { before };
        pieces.push(Piece::Text(if from.is_some() {
            before.trim_end()
        } else {
            before
        }));
        let text = to.unwrap_or(text).trim();
        if !text.starts_with("/*") {
            pieces.push(Piece::Action { line, text });
        }
        line += action.matches('\n').count();
        (rest, trims) = (after, to.is_some());
    }
    pieces.push(Piece::Text(if trims { rest.trim_start() } else { rest }));
    Ok(pieces)
}

/// The text of an action, and what follows it. Its end is neither in a string nor in a comment.
fn split_action(inside: &str) -> Option<(&str, &str)> {
    let (mut string, mut letters) = (None, inside.char_indices());
    if inside
        .trim_start_matches('-')
        .trim_start()
        .starts_with("/*")
    {
        let comment = inside.split_once("*/")?.0.chars().count();
        letters.nth(comment)?;
    }
    while let Some((at, letter)) = letters.next() {
        match (string, letter) {
            (None, '"' | '`') => string = Some(letter),
            (Some('"'), '\\') => {
                letters.next();
            }
            (Some(end), letter) if letter == end => string = None,
            (None, '}') => {
                let (action, end) = inside.split_at_checked(at)?;
                if let Some(after) = end.strip_prefix("}}") {
                    return Some((action, after));
                }
            }
            _ => {}
        }
    }
    None
}

/// The letters, digits and `_` that a string begins with, and the rest of it.
fn first_word(text: &str) -> (&str, &str) {
    let is_end = |letter: char| !letter.is_alphanumeric() && letter != '_';
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

/// A word or a sign of an action.
enum Token {
    Field(String),
    Name(String),
    Text(String),
    Bar,
    Open,
    Close,
}

fn tokens(action: &str) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), action.trim_start());
    while let Some(first) = rest.chars().next() {
        let after = rest.strip_prefix(first).unwrap_or_default();
        let (token, after) = match first {
            '|' => (Token::Bar, after),
            '(' => (Token::Open, after),
            ')' => (Token::Close, after),
            '`' => {
                let (text, after) = after.split_once('`').ok_or("a string has no end")?;
                (Token::Text(text.to_owned()), after)
            }
            '"' => {
                let (text, after) = quoted(after)?;
                (Token::Text(text), after)
            }
            // A field of the page, which has no other name in a `range`.
            '$' if after
                .strip_prefix('.')
                .is_some_and(|name| name.starts_with(char::is_alphabetic)) =>
            {
                rest = after;
                continue;
            }
            '.' => {
                let (name, after) = first_word(after);
                (Token::Field(name.to_owned()), after)
            }
            first if first.is_alphabetic() => {
                let (name, after) = first_word(rest);
                (Token::Name(name.to_owned()), after)
            }
            first => return Err(format!("`{first}` is not understood")),
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

/// A string in quotes, and what follows it.
fn quoted(inside: &str) -> Result<(String, &str), String> {
    let (mut text, mut letters) = (String::new(), inside.chars());
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '"' => return Ok((text, letters.as_str())),
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(letter @ ('"' | '\\')) => letter,
                Some(letter) => return Err(format!("`\\{letter}` in a string is not understood")),
                None => break,
            },
            letter => letter,
        };
        text.push(letter);
    }
    Err("a string has no end".to_owned())
}

/// The names that a template can use.
#[derive(Clone, Copy)]
struct Known<'k> {
    fields: &'k Fields,
    root: &'k Path,
    /// The value of `.` in a `range`.
    value: Option<&'k str>,
}

impl Known<'_> {
    fn evaluated(self, action: &str) -> Result<Value, String> {
        let tokens = tokens(action)?;
        let mut tokens = tokens.iter().peekable();
        let value = self.pipeline(&mut tokens)?;
        if tokens.peek().is_some() {
            Err("a `)` has no `(`".to_owned())
        } else {
            Ok(value)
        }
    }

    /// Commands, each with the value of the one before as its last argument.
    fn pipeline(self, tokens: &mut Peekable<Iter<'_, Token>>) -> Result<Value, String> {
        let mut value = self.command(tokens, None)?;
        while let Some(Token::Bar) = tokens.peek() {
            tokens.next();
            value = self.command(tokens, Some(value))?;
        }
        Ok(value)
    }

    fn command(
        self,
        tokens: &mut Peekable<Iter<'_, Token>>,
        piped: Option<Value>,
    ) -> Result<Value, String> {
        let function = match tokens.peek().copied() {
            Some(Token::Name(name)) if !matches!(&**name, "true" | "false") => {
                tokens.next();
                Some(name)
            }
            Some(
                Token::Name(_)
                | Token::Field(_)
                | Token::Text(_)
                | Token::Bar
                | Token::Open
                | Token::Close,
            )
            | None => None,
        };
        let mut arguments = Vec::new();
        while let Some(argument) = self.operand(tokens)? {
            arguments.push(argument);
        }
        if function.is_none() && arguments.is_empty() {
            return Err("a value is missing".to_owned());
        }
        arguments.extend(piped);
        match (function, arguments.as_slice()) {
            (Some(function), arguments) => self.call(function, arguments),
            (None, [value]) => Ok(value.clone()),
            (None, more) => Err(format!(
                "`{}` is not a function",
                more.first().map(Value::shown).unwrap_or_default()
            )),
        }
    }

    fn operand(self, tokens: &mut Peekable<Iter<'_, Token>>) -> Result<Option<Value>, String> {
        let value = match tokens.peek().copied() {
            None | Some(Token::Bar | Token::Close) => return Ok(None),
            Some(Token::Text(text)) => Value::Text(text.clone()),
            Some(Token::Name(name)) => match &**name {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                name => return Err(format!("`{name}` is not understood behind a value")),
            },
            Some(Token::Field(name)) => match self.value.filter(|_| name.is_empty()) {
                Some(value) => Value::Text(value.to_owned()),
                None => self.fields.get(&**name).cloned().ok_or_else(|| {
                    let all: Vec<String> = self
                        .fields
                        .keys()
                        .map(|name| format!("`.{name}`"))
                        .collect();
                    format!("`.{name}` is not a field; there are {}", all.join(", "))
                })?,
            },
            Some(Token::Open) => {
                tokens.next();
                let value = self.pipeline(tokens)?;
                if !matches!(tokens.peek(), Some(Token::Close)) {
                    return Err("a `(` has no `)`".to_owned());
                }
                value
            }
        };
        tokens.next();
        Ok(Some(value))
    }

    fn call(self, function: &str, arguments: &[Value]) -> Result<Value, String> {
        let shown: Vec<String> = arguments.iter().map(Value::shown).collect();
        let texts: Vec<&str> = shown.iter().map(String::as_str).collect();
        Ok(match (function, texts.as_slice()) {
            ("trimspace", [text]) => Value::Text(text.trim().to_owned()),
            ("lower", [text]) => Value::Text(text.to_lowercase()),
            ("upper", [text]) => Value::Text(text.to_uppercase()),
            ("plainmarkdown", [text]) => Value::Text(plain(text)),
            ("prefixlines", [prefix, text]) => Value::Text(format!(
                "{prefix}{}",
                text.replace('\n', &format!("\n{prefix}"))
            )),
            ("tffile", [path]) => Value::Text(self.code("terraform", path)?),
            ("codefile", [language, path]) => Value::Text(self.code(language, path)?),
            ("printf", [format, values @ ..]) => Value::Text(formatted(format, values)?),
            ("and", [_, ..]) => Value::Bool(arguments.iter().all(Value::is_true)),
            ("or", [_, ..]) => Value::Bool(arguments.iter().any(Value::is_true)),
            ("not", [_]) => Value::Bool(!arguments.iter().all(Value::is_true)),
            ("eq", [left, right]) => Value::Bool(left == right),
            ("ne", [left, right]) => Value::Bool(left != right),
            (function, texts) => {
                let known = FUNCTIONS.iter().find(|(name, _)| *name == function);
                let taken = known.map(|(_, taken)| {
                    format!("`{function}` takes {taken}, found {} values", texts.len())
                });
                return Err(taken.unwrap_or_else(|| {
                    let all: Vec<String> = FUNCTIONS
                        .iter()
                        .map(|(name, _)| format!("`{name}`"))
                        .collect();
                    format!(
                        "`{function}` is not a function; there are {}",
                        all.join(", ")
                    )
                }));
            }
        })
    }

    /// The text of a file, as code.
    fn code(self, language: &str, path: &str) -> Result<String, String> {
        let text = fs::read_to_string(self.root.join(path))
            .map_err(|error| format!("{path} cannot be read: {error}"))?;
        Ok(format!("```{language}\n{}\n```", text.trim()))
    }
}

fn formatted(format: &str, values: &[&str]) -> Result<String, String> {
    let (mut made, mut values, mut letters) =
        (String::new(), values.iter().copied(), format.chars());
    let mut next = || {
        values
            .next()
            .ok_or("`printf` has fewer values than its format")
    };
    while let Some(letter) = letters.next() {
        if letter != '%' {
            made.push(letter);
            continue;
        }
        match letters.next() {
            Some('s' | 'v') => made.push_str(next()?),
            // As JSON, because a string of JSON is one of YAML.
            Some('q') => made.push_str(&serde_json::Value::from(next()?).to_string()),
            Some('%') => made.push('%'),
            Some(letter) => {
                return Err(format!(
                    "`printf` knows `%s`, `%v`, `%q` and `%%`, found `%{letter}`"
                ));
            }
            None => return Err("the format of `printf` ends with `%`".to_owned()),
        }
    }
    Ok(made)
}

/// Markdown without the marks of code and of emphasis with `*`, and with the text and the address
/// of each link.
fn plain(text: &str) -> String {
    let (mut made, mut rest) = (String::new(), text);
    while let Some((before, marked)) = rest
        .find(['`', '*', '['])
        .and_then(|at| rest.split_at_checked(at))
    {
        made.push_str(before);
        let link = marked
            .strip_prefix('[')
            .and_then(|inside| inside.split_once("]("));
        let link = link.and_then(|(name, address)| Some((name, address.split_once(')')?)));
        rest = match link {
            Some((name, (address, after))) if !name.contains(['[', ']']) => {
                made.extend([plain(name), " ".to_owned(), address.to_owned()]);
                after
            }
            Some(_) | None => {
                let mut letters = marked.chars();
                made.extend(letters.next().filter(|mark| *mark == '['));
                letters.as_str()
            }
        };
    }
    made + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("examples")).unwrap();
        fs::write(folder.path().join("examples/a.tf"), "\na = 1\n\n").unwrap();
        let text = |text: &str| Value::Text(text.to_owned());
        let fields = Fields::from([
            ("Name", text("a")),
            ("Nothing", text("")),
            ("HasExample", Value::Bool(true)),
            ("All", Value::List(vec!["x".to_owned(), "y".to_owned()])),
            ("None", Value::List(Vec::new())),
            (
                "Description",
                text("`A` *boat*, [as `one`](https://a.b) is.\nIt floats [here].\n"),
            ),
        ]);
        render(template, &fields, folder.path())
    }

    #[test]
    fn each_part_of_the_language_is_read() {
        for (template, expected) in [
            ("no action", "no action"),
            (
                "{{.Name}} {{ .Name | upper }} {{`}}`}} {{ \"\\\"}}\\n\\\\\" | trimspace }}",
                "a A }} \"}}\n\\",
            ),
            (
                "a \n{{- .Name -}}\n b {{ /* \"it's }} */ }}c {{- /* more */ -}} \n",
                "aab c",
            ),
            ("{{ tffile \"examples/a.tf\" }}", "```terraform\na = 1\n```"),
            (
                "{{ tffile (printf \"examples/%s.%v\" .Name \"tf\") }}",
                "```terraform\na = 1\n```",
            ),
            (
                "{{ codefile \"shell\" \"examples/a.tf\" }}",
                "```shell\na = 1\n```",
            ),
            (
                "{{ .Description | plainmarkdown | trimspace | prefixlines \"  \" }}.",
                "A boat, as one https://a.b is.\n  It floats [here]..",
            ),
            ("{{ if .HasExample }}yes{{ else }}no{{ end }}", "yes"),
            (
                "{{ if .Nothing }}yes{{ else if eq .Name \"a\" }}other{{ else }}no{{ end }}",
                "other",
            ),
            (
                "{{ if and .HasExample (not .Nothing) }}a{{ if .Nothing }}b{{ else }}c{{ end }}{{ end }}d",
                "acd",
            ),
            (
                "{{ if or .Nothing false }}{{ if .HasExample }}a{{ else }}b{{ end }}{{ tffile \"none\" }}{{ end }}d",
                "d",
            ),
            (
                "{{ printf \"%q %q\" \"\\\"a\\\\\" .Nothing }}",
                "\"\\\"a\\\\\" \"\"",
            ),
            (
                "{{ range .All }}{{ . }}{{ $.Name }}, {{ end }}{{ .Name }}",
                "xa, ya, a",
            ),
            ("{{ range .All }}{{ . | upper }}{{ else }}no{{ end }}", "XY"),
            (
                "{{ range .None }}{{ . | upper }}{{ else }}no{{ end }}",
                "no",
            ),
            (
                "{{ range .All }}{{ if eq . \"y\" }}{{ range $.All }}{{ . }}{{ end }}{{ else }}{{ . }}{{ end }} {{ end }}",
                "x xy",
            ),
            (
                "{{ if .Nothing }}{{ range .Name }}{{ . }}{{ else }}{{ tffile \"none\" }}{{ end }}{{ end }}d",
                "d",
            ),
            (
                "{{ if .All }}{{ .All }}{{ end }}{{ if .None }}none{{ end }}",
                "[x y]",
            ),
            (
                "{{ ne .Name \"a\" }} {{ .Name | printf \"100%% %s\" | lower }}",
                "false 100% a",
            ),
        ] {
            assert_eq!(
                rendered(template),
                Ok(format!("{expected}\n")),
                "{template}"
            );
        }
    }

    #[test]
    fn a_mistake_has_its_line() {
        for (template, expected) in [
            ("\n\n{{ .Name", "line 3: `{{` has no `}}`"),
            (
                "{{/* a\n*/}}\n{{ .Title }}",
                "line 3: `.Title` is not a field; there are `.All`, `.Description`, `.HasExample`, `.Name`, `.None`, `.Nothing`",
            ),
            (
                "{{ with .Name }}",
                "line 1: `with` is not understood; there are fields, functions, `if` and `range`",
            ),
            (
                "{{ range .Name }}",
                "line 1: `range` takes a list, such as `.ExampleFiles`",
            ),
            ("{{ range $file := .All }}", "line 1: `$` is not understood"),
            ("{{ range .All }}\n", "line 1: `range` has no `end`"),
            ("{{ end }}", "line 1: `end` has no `if` or `range`"),
            ("{{ else }}", "line 1: `else` has no `if` or `range`"),
            ("a\n{{ if .Name }}", "line 2: `if` has no `end`"),
            (
                "{{ trimspace .Name .Name }}",
                "line 1: `trimspace` takes a string, found 2 values",
            ),
            ("{{ .Name | .Name }}", "line 1: `a` is not a function"),
            ("{{ .Name | }}", "line 1: a value is missing"),
            ("{{ (.Name }}", "line 1: a `(` has no `)`"),
            ("{{ .Name) }}", "line 1: a `)` has no `(`"),
            ("{{ \"a }}\" }}{{ $x }}", "line 1: `$` is not understood"),
            (
                "{{ printf \"%d\" .Name }}",
                "line 1: `printf` knows `%s`, `%v`, `%q` and `%%`, found `%d`",
            ),
            ("{{ }}", "line 1: a value is missing"),
        ] {
            assert_eq!(
                rendered(template).as_ref().map_err(String::as_str),
                Err(expected),
                "{template}"
            );
        }
        let problem = rendered("{{ title .Name }}").unwrap_err();
        assert!(
            problem.starts_with("line 1: `title` is not a function; there are `and`, `codefile`,"),
            "{problem}"
        );
        let problem = rendered("{{ tffile \"examples/none.tf\" }}").unwrap_err();
        assert!(
            problem.starts_with("line 1: examples/none.tf cannot be read: "),
            "{problem}"
        );
    }
}
