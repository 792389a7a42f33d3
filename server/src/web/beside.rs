//! The instances of a page as a tree, beside what differs in each: somebody who looks for one does
//! not scroll past the others.

use maud::{Markup, html};

use super::frame::{counted, shown};

/// The number of instances up to which there is no tree, because the page is short.
const FEW: usize = 8;

/// An instance on a page.
#[derive(Debug)]
pub(super) struct Instance<'a> {
    pub(super) address: &'a str,
    /// A word for what happens to it; empty for what happens to most.
    pub(super) outcome: &'static str,
    /// The part of the page that is about it.
    pub(super) part: Markup,
}

/// The parts of a page, with a tree that leads to each.
pub(super) fn beside(instances: &[Instance<'_>]) -> Markup {
    if instances.len() <= FEW {
        return html! { @for one in instances { (one.part) } };
    }
    let numbered: Vec<(usize, &Instance<'_>)> = instances.iter().enumerate().collect();
    html! {
        div .beside {
            nav aria-label="Instances on this page" {
                @for group in numbered.chunk_by(|(_, a), (_, b)| module_of(a.address) == module_of(b.address)) {
                    @let module = group.first().map_or("", |(_, one)| module_of(one.address));
                    p { @if module.is_empty() { "root module" } @else { code { (shown(module)) } } ", " (counted(group.len(), "instance", "instances")) }
                    ul .tree {
                        @for (number, one) in group {
                            li {
                                a href=(format!("#i{number}")) { (shown(without(module, one.address))) }
                                @if !one.outcome.is_empty() { " " span .soft { (one.outcome) } }
                            }
                        }
                    }
                }
            }
            div { @for (number, one) in &numbered { div id=(format!("i{number}")) { (one.part) } } }
        }
    }
}

/// The address without its module, which the tree names above it.
fn without<'a>(module: &str, address: &'a str) -> &'a str {
    address
        .strip_prefix(module)
        .map_or(address, |name| name.trim_start_matches('.'))
}

/// The module in front of an address; empty for the root module.
fn module_of(address: &str) -> &str {
    let (mut dots, mut is_quoted, mut is_escaped) = (Vec::new(), false, false);
    for (at, letter) in address.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => dots.push(at),
            _ => {}
        }
    }
    let mut end = 0;
    for step in dots.chunks(2) {
        let [name, next] = step else { break };
        let begin = if end == 0 { 0 } else { end + 1 };
        if address.get(begin..*name) != Some("module") {
            break;
        }
        end = *next;
    }
    address.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_of_an_address_is_in_front_of_it() {
        for (module, name) in [
            ("", "aws_vpc.this"),
            ("", "aws_vpc.this[\"module.a.b\"]"),
            ("", "data.aws_vpc.this"),
            ("", "output.plain"),
            ("module.net", "aws_vpc.this[0]"),
            ("module.net", "data.aws_vpc.this"),
            (
                "module.net[\"a.b\\\".c\"].module.inner[1]",
                "aws_vpc.this[\"x.y\"]",
            ),
        ] {
            let address = if module.is_empty() {
                name.to_owned()
            } else {
                format!("{module}.{name}")
            };
            assert_eq!(
                (module_of(&address), without(module, &address)),
                (module, name),
                "{address}"
            );
        }
        assert_eq!(module_of(""), "");
    }

    #[test]
    fn many_instances_have_a_tree_and_few_have_none() {
        let addresses: Vec<String> = (0..=FEW)
            .map(|number| format!("module.net.aws_vpc.v{number}"))
            .collect();
        let instances: Vec<Instance<'_>> = addresses
            .iter()
            .map(|address| Instance {
                address,
                outcome: "added",
                part: html! { section { "its part" } },
            })
            .collect();
        let all = beside(&instances).into_string();
        for part in [
            "<p><code>module.net</code>, 9 instances</p>",
            "<li><a href=\"#i8\">aws_vpc.v8</a> <span class=\"soft\">added</span></li>",
            "<div id=\"i8\"><section>its part</section></div>",
        ] {
            assert!(all.contains(part), "{part}: {all}");
        }
        let few = beside(instances.get(..FEW).unwrap()).into_string();
        assert_eq!(few, "<section>its part</section>".repeat(FEW));
    }
}
