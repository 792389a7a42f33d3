//! The resources of a large file, read by several threads at once.
//!
//! Where a resource begins is guessed from the line breaks that Terraform writes, and each thread
//! reads on from a guess. A guess counts only if the thread that reads before it arrives there,
//! between two resources; otherwise that thread reads on.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::thread;

use upstate::__internal::{Kind, Mark};

use super::parse::{Parser, second_object};
use super::scan::{Look, Scanned, Scanner};

/// Less text than this is not worth a thread.
const SHARE: usize = 4 << 20;
/// The text with which a resource begins in a file that Terraform wrote. No string holds a line
/// break, so this is never inside one.
const BEGIN: &str = "\n    {\n";

/// The part of the array that one thread has read.
struct Share<'t> {
    scanner: Scanner<'t>,
    parser: Parser<'t>,
    /// True if the share ended where the next one begins; if not, the array has ended.
    arrived: Scanned<bool>,
}

impl<'t> Parser<'t> {
    /// Reads the array of resources.
    pub(super) fn resources(&mut self, scanner: &mut Scanner<'t>) -> Scanned<()> {
        let text = scanner.reader.text();
        let rest = text.len() - scanner.reader.position();
        // The system reads files to say how many threads it has, so it is asked only where there is
        // text for two.
        let has_two_shares = rest / SHARE >= 2;
        let threads = if has_two_shares {
            thread::available_parallelism()
                .map_or(1, NonZeroUsize::get)
                .min(rest / SHARE)
        } else {
            1
        };
        if threads < 2 || scanner.reader.peek()? != Kind::Array {
            return scanner.elements("`resources`", |scanner| self.resource(scanner));
        }
        scanner.reader.open_array()?;
        let inside = scanner.reader.mark();
        if !scanner.reader.next_element(true)? {
            return Ok(());
        }
        let begins = guesses(text, scanner.reader.position(), threads);
        let look = scanner.attributes;
        let shares: Vec<Share<'t>> = thread::scope(|scope| {
            let readers = (0..begins.len()).map(|index| {
                let begins = &begins;
                thread::Builder::new()
                    .spawn_scoped(scope, move || read(text, look, inside, begins, index))
            });
            // The system may refuse more threads. A share without one, or whose thread panicked,
            // ends the chain: what follows is read here.
            let readers: Vec<_> = readers.map_while(Result::ok).collect();
            readers
                .into_iter()
                .map_while(|reader| reader.join().ok())
                .collect()
        });
        for share in shares {
            // Those of second objects come first, so that others that stand behind them do not keep
            // them out.
            self.add(share.parser, scanner);
            scanner.problems.extend(share.scanner.problems);
            if share.scanner.attributes == Look::Lost {
                scanner.lose();
            }
            scanner.reader.rewind(share.scanner.reader.mark());
            if !share.arrived? {
                return Ok(());
            }
        }
        // Only if a share is missing.
        loop {
            self.resource(scanner)?;
            if !scanner.reader.next_element(false)? {
                return Ok(());
            }
        }
    }

    /// Adds what was read behind all that is known here.
    fn add(&mut self, other: Self, scanner: &mut Scanner<'t>) {
        let mut met = other.met;
        // Resources that stand in one share only have no second objects that are not known yet.
        let shared: HashSet<_> = met
            .keys()
            .filter(|resource| self.met.contains_key(*resource))
            .cloned()
            .collect();
        if !shared.is_empty() {
            for instance in other
                .instances
                .iter()
                .filter(|instance| shared.contains(&instance.address.resource))
            {
                let key = (
                    instance.address.key.clone(),
                    instance.address.deposed.clone(),
                );
                // A second object in the same share is not compared, because the thread that read
                // the share has reported it.
                let first_here = met
                    .get_mut(&instance.address.resource)
                    .is_some_and(|keys| keys.remove(&key));
                let known = self
                    .met
                    .get_mut(&instance.address.resource)
                    .is_some_and(|keys| !keys.insert(key));
                if first_here && known {
                    let start = instance.range.start;
                    scanner.problem(start..start + 1, second_object(&instance.address));
                }
            }
            met.retain(|resource, _| !shared.contains(resource));
        }
        self.met.extend(met);
        self.resources.extend(other.resources);
        self.instances.extend(other.instances);
    }
}

/// The offsets at which the shares begin: the first at `start`, the others where a resource seems
/// to begin.
fn guesses(text: &str, start: usize, threads: usize) -> Vec<usize> {
    let share = (text.len() - start) / threads;
    let mut begins = vec![start];
    for index in 1..threads {
        let mut from = start + index * share;
        while !text.is_char_boundary(from) {
            from += 1;
        }
        // `BEGIN` ends with a brace and a line break, so the brace is 2 bytes before its end.
        let found = text
            .get(from..)
            .and_then(|rest| rest.find(BEGIN))
            .map(|at| from + at + BEGIN.len() - 2);
        begins.extend(found.filter(|found| begins.last().is_some_and(|last| last < found)));
    }
    begins
}

/// Reads resources from `begins[index]` on: up to the next beginning, or to the end of the array.
fn read<'t>(text: &'t str, look: Look, inside: Mark, begins: &[usize], index: usize) -> Share<'t> {
    let mut scanner = Scanner::looking(text, look);
    let mut parser = Parser::default();
    scanner.reader.rewind(inside);
    scanner
        .reader
        .jump(begins.get(index).copied().unwrap_or(text.len()));
    let next = begins.get(index + 1).copied();
    let arrived = read_on(&mut scanner, &mut parser, next);
    Share {
        scanner,
        parser,
        arrived,
    }
}

fn read_on<'t>(
    scanner: &mut Scanner<'t>,
    parser: &mut Parser<'t>,
    next: Option<usize>,
) -> Scanned<bool> {
    loop {
        parser.resource(scanner)?;
        if !scanner.reader.next_element(false)? {
            return Ok(false);
        }
        scanner.reader.peek()?;
        if Some(scanner.reader.position()) == next {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state_file::StateFile;

    /// A file of some megabytes in Terraform's layout, with something odd in resource `odd`.
    fn file(resources: usize, odd: usize, oddity: &str) -> String {
        let resource = |index: usize| {
            let (name, more) = (if index == odd { oddity } else { "" }, "x".repeat(900));
            format!(
                "\n    {{\n      \"mode\": \"managed\",\n      \"type\": \"t\",\n      \"name\": \"n{index}\",\n      \"provider\": \"provider.p\",\n      \"instances\": [\n        {{\n          \"attributes\": {{\n            \"a\": \"{more}\"\n          }}\n        }}{name}\n      ]\n    }}"
            )
        };
        let resources: Vec<String> = (0..resources).map(resource).collect();
        format!(
            "{{\n  \"version\": 4,\n  \"resources\": [{}\n  ]\n}}\n",
            resources.join(",")
        )
    }

    #[test]
    fn what_is_read_in_shares_is_what_is_read_in_one_go() {
        const COUNT: usize = 12_000;
        let text = file(COUNT, 0, "");
        assert!(text.len() > 2 * SHARE + (1 << 20), "{}", text.len());
        let state = StateFile::parse(text.as_bytes()).unwrap();
        let names: Vec<&str> = state
            .instances()
            .iter()
            .map(|instance| instance.address().name())
            .collect();
        assert_eq!(
            names,
            (0..COUNT)
                .map(|index| format!("n{index}"))
                .collect::<Vec<_>>()
        );
        let starts: Vec<usize> = state
            .instances()
            .iter()
            .map(|instance| instance.range.start)
            .collect();
        assert!(starts.is_sorted());
        // Guesses inside a resource are wrong, so `BEGIN` is put there: all instances must be found
        // nevertheless.
        let wrong = text.replace(
            "\"a\": \"",
            "\"b\": [\n    {\n    }],\n            \"a\": \"",
        );
        assert_eq!(
            StateFile::parse(wrong.as_bytes())
                .unwrap()
                .instances()
                .len(),
            COUNT
        );
        let begins = guesses(&text, text.find('[').unwrap() + 6, 3);
        assert!(
            begins.len() == 3
                && begins
                    .iter()
                    .all(|begin| text[*begin..].starts_with("{\n      \"mode\"")),
            "{begins:?}"
        );
    }

    #[test]
    fn problems_are_the_same_wherever_they_are() {
        const COUNT: usize = 12_000;
        for odd in [0, COUNT / 2, COUNT - 1] {
            let twice = StateFile::parse(file(COUNT, odd, ", {\"deposed\": \"x\"}, {}").as_bytes())
                .unwrap_err();
            let messages: Vec<&str> = twice
                .problems()
                .iter()
                .map(super::super::StateFileProblem::message)
                .collect();
            let second = format!("there is a second object for t.n{odd}");
            assert_eq!(
                messages,
                [
                    "`deposed` must be a key of eight characters, found \"x\"",
                    &second
                ]
            );
            let broken = StateFile::parse(file(COUNT, odd, ", {]").as_bytes()).unwrap_err();
            assert_eq!(broken.problems().len(), 1);
            let far = file(COUNT, COUNT, "").replace(&format!("\"n{odd}\""), "\"n7\"");
            let error = StateFile::parse(far.as_bytes()).unwrap_err().to_string();
            assert!(
                error.ends_with("there is a second object for t.n7"),
                "{error}"
            );
        }
    }
}
