//! All workspaces at a glance: a sentence with numbers, a bar, those that need somebody, and each
//! workspace as a square.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use maud::{Markup, html};

use super::Web;
use super::frame::{
    Chip, chips, counted, described, exactly, instances_at, shown, span, tag_as_written,
    workspaces_tagged,
};
use super::picture::{HIGHEST, Part, Tone, bar, height};
use crate::model::{OrganizationId, Timestamp, WorkspaceId};
use crate::service::{Day, Days, Event, Fleet, Group, Need, Square, Trouble};
use crate::store::StoreError;

/// The causes that are shown; the list of workspaces has the others.
const NEEDS: usize = 12;
/// The squares in a row.
const ROW: usize = 64;
/// The names, or the values of a tag, by which squares are grouped; the others are one group.
const PREFIXES: usize = 10;
/// The tags that are offered to group the squares by.
const KEYS: usize = 6;
/// The tags that are offered as choices; the field beside the name takes every one.
const TAGS: usize = 16;
/// The squares that are links of their own: those of workspaces that need somebody.
const LINKS: usize = 100;

/// The groups of which each workspace is in one, the best first.
const STATUSES: [Group; 6] = [
    Group::Current,
    Group::Behind,
    Group::Failing,
    Group::Stuck,
    Group::Unreadable,
    Group::Empty,
];

/// The workspaces of a group, as the end of a sentence.
pub(super) const fn in_words(group: Group) -> &'static str {
    match group {
        Group::Current => "are current",
        Group::Behind => "need an upgrade",
        Group::Stuck => "cannot be upgraded",
        Group::Failing => "failed in the last job or plan",
        Group::Unreadable => "cannot be read",
        Group::Locked => "are locked",
        Group::Empty => "have no state",
    }
}

const fn tone(group: Group) -> Tone {
    match group {
        Group::Current => Tone::Good,
        Group::Behind => Tone::Warn,
        Group::Stuck | Group::Failing | Group::Unreadable => Tone::Bad,
        Group::Locked => Tone::Plain,
        Group::Empty => Tone::Faint,
    }
}

/// The first screen: whether anything is wrong. Without a past, above a part of the list, it is the
/// answer alone, so that the list is seen.
pub(super) fn glance(
    web: &Web,
    organization: &str,
    fleet: &Fleet,
    past: Option<(&Day, &Days)>,
    by: Option<Tagged<'_>>,
) -> Markup {
    html! {
        @if fleet.inventory.workspaces > 0 {
            (sentence(fleet))
            (bar("Workspaces by status", &parts(fleet)))
            @if let Some((day, days)) = past {
                @if fleet.inventory.behind > 0 {
                    p { a .button href=(format!("/ui/organizations/{organization}/plan")) { "Plan the upgrade of all that are behind" } }
                }
                (needs(web, organization, &fleet.needs))
                h2 { "Every workspace" }
                (groupings(fleet, by.map(|(key, _)| key)))
                (squares(organization, fleet, by))
                (last_day(day))
                (last_days(days))
            }
        }
    }
}

fn of(fleet: &Fleet, group: Group) -> usize {
    fleet.statuses.get(&group).copied().unwrap_or_default()
}

fn sentence(fleet: &Fleet) -> Markup {
    let (all, current) = (fleet.inventory.workspaces, of(fleet, Group::Current));
    let percent = current * 100 / all.max(1);
    // Each number is that of the list to which it leads; a workspace may be in several of them.
    let linked = |group: Group| {
        let number = fleet.inventory.of(group);
        let words = if number == 1 {
            alone(group)
        } else {
            in_words(group)
        };
        html! { a href=(format!("?show={}", group.name())) { strong { (number) } " " (words) } }
    };
    html! {
        p .lead {
            @if all == 1 { "The only workspace is " @if current == 0 { "not " } "current" }
            @else if current == all { "All of " strong { (counted(all, "workspace", "workspaces")) } " are current" }
            @else { strong { (percent) " %" } " of " (counted(all, "workspace", "workspaces")) " are current" }
            ". "
            @if fleet.inventory.behind > 0 { (linked(Group::Behind)) } @else { "None needs an upgrade" }
            @for group in [Group::Failing, Group::Stuck, Group::Unreadable, Group::Locked] {
                @if fleet.inventory.of(group) > 0 { ", " (linked(group)) }
            }
            "."
        }
    }
}

fn parts(fleet: &Fleet) -> Vec<Part> {
    let part = |group: Group| {
        let number = of(fleet, group);
        let link = Some(format!("?show={}", group.name()));
        Part {
            link,
            ..Part::new(tone(group), number, number_of(number, group))
        }
    };
    STATUSES.into_iter().map(part).collect()
}

/// The choices of the list of workspaces.
pub(super) fn statuses(fleet: &Fleet, chosen: Option<Group>) -> Markup {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let all = Chip {
        label: "All",
        number: count(fleet.inventory.workspaces),
        link: "?".to_owned(),
        is_chosen: chosen.is_none(),
    };
    let of = Group::ALL.into_iter().map(|group| Chip {
        label: heading(group),
        number: count(fleet.inventory.of(group)),
        link: format!("?show={}", group.name()),
        is_chosen: chosen == Some(group),
    });
    chips(
        "Workspaces by status",
        &std::iter::once(all).chain(of).collect::<Vec<_>>(),
    )
}

/// The choices of the list of workspaces by tag: the tags that most workspaces have, and the chosen
/// one.
pub(super) fn tags(organization: &str, fleet: &Fleet, chosen: Option<&str>) -> Markup {
    // A key alone chooses every workspace that has it, with or without a value.
    let of_key = |key: &str| -> u64 {
        fleet
            .tags
            .iter()
            .filter(|(one, ..)| one == key)
            .map(|(.., number)| number)
            .sum()
    };
    let written = |(key, value, number): &(String, Option<String>, u64)| {
        (
            tag_as_written(key, value.as_deref()),
            if value.is_some() {
                *number
            } else {
                of_key(key)
            },
        )
    };
    let mut used: Vec<(String, u64)> = fleet.tags.iter().map(written).collect();
    used.sort_by_key(|(tag, number)| (chosen != Some(tag.as_str()), std::cmp::Reverse(*number)));
    used.truncate(TAGS);
    let labels: Vec<String> = used.iter().map(|(tag, _)| shown(tag)).collect();
    let drawn: Vec<Chip<'_>> = used
        .iter()
        .zip(&labels)
        .map(|((tag, number), label)| {
            let is_chosen = chosen == Some(tag.as_str());
            // The chosen one leads back, because there may be no other chip that does.
            let link = if is_chosen {
                "?".to_owned()
            } else {
                workspaces_tagged(organization, tag)
            };
            Chip {
                label,
                number: *number,
                link,
                is_chosen,
            }
        })
        .collect();
    html! { @if !drawn.is_empty() { (chips("Workspaces by tag", &drawn)) } }
}

/// The workspaces of a group, as a choice.
const fn heading(group: Group) -> &'static str {
    match group {
        Group::Current => "Current",
        Group::Behind => "Need an upgrade",
        Group::Stuck => "Cannot be upgraded",
        Group::Failing => "Failed",
        Group::Unreadable => "Cannot be read",
        Group::Locked => "Locked",
        Group::Empty => "No state",
    }
}

/// The causes for which somebody has to do something, each with the page where it is done.
fn needs(web: &Web, organization: &str, needs: &[Need]) -> Markup {
    html! {
        h2 { "Needs somebody " span .soft { (needs.len()) } }
        @if needs.is_empty() { p { "Nothing." } } @else {
            div .scroll tabindex="0" role="group" aria-label="Needs somebody" { table .needs { tbody {
                @for need in needs.iter().take(NEEDS) { (row(web, organization, need)) }
            } } }
            @if needs.len() > NEEDS { p .soft { (needs.len() - NEEDS) " more; the list below begins with them." } }
        }
    }
}

fn row(web: &Web, organization: &str, need: &Need) -> Markup {
    let rest = need.named.number.saturating_sub(1);
    html! {
        tr {
            th scope="row" {
                @if let Some((workspace, name)) = need.named.first.first() { a href=(format!("/ui/workspaces/{workspace}")) { (shown(name)) } }
                @if rest > 0 { " " span .soft { "+" (rest) } }
            }
            td {
                @match &need.cause {
                    Trouble::Stuck { type_name, version, current } => {
                        span .tag .bad { "cannot be upgraded" } " "
                        a href=(instances_at(organization, type_name, *version)) { code { (shown(type_name)) } } " " (version)
                        @match current {
                            Some(current) if version > current => { ": a later release wrote it, this server reads up to " (current) }
                            Some(current) => { ": no upgrader leads from it to " (current) }
                            None => {}
                        }
                    }
                    Trouble::Unreadable { detail } => { span .tag .bad { "cannot be read" } " " (described(detail)) }
                    Trouble::Failed { detail, .. } => { span .tag .bad { "failed" } " " (described(detail)) }
                    Trouble::Locked { holder, since, reason } => {
                        span .tag .warn { "locked" } " " (span(*since, web.service.now())) " by " (shown(holder))
                        @if !reason.is_empty() { ": “" (shown(reason)) "”" }
                    }
                }
            }
            td {
                @match &need.cause {
                    Trouble::Stuck { .. } => { a href="?show=stuck" { "Show " (need.named.number) } }
                    Trouble::Unreadable { .. } => { a href="?show=unreadable" { "Show " (need.named.number) } }
                    Trouble::Failed { job, .. } => { a href=(format!("/ui/jobs/{job}?status=failed")) { "Show " (need.named.number) } }
                    Trouble::Locked { .. } => { a href="?show=locked" { "Show locked" } }
                }
            }
        }
    }
}

/// The width of a half hour in the picture of a day.
const SLOT: usize = 12;
/// The height of a lane of it.
const LANE: usize = 20;

const fn lane(event: Event) -> (&'static str, &'static str, Tone) {
    match event {
        Event::Applied => ("version applied", "versions applied", Tone::Plain),
        Event::Upgraded => ("upgrade", "upgrades", Tone::Good),
        Event::Failed => ("failure of a job", "failures of jobs", Tone::Bad),
        Event::Undone => ("rollback", "rollbacks", Tone::Warn),
        Event::Locked => ("lock", "locks", Tone::Plain),
    }
}

/// The last day as a lane for each kind of events, with a dot for each half hour that has some.
fn last_day(day: &Day) -> Markup {
    let happened: Vec<Event> = Event::ALL
        .into_iter()
        .filter(|event| day.total(*event) > 0)
        .collect();
    let words = |event: &Event| {
        let (one, many, _) = lane(*event);
        counted(day.total(*event), one, many)
    };
    html! {
        h2 { "Last 24 hours" }
        @if happened.is_empty() { p { "Nothing was stored, upgraded, undone or locked." } } @else {
            p { (happened.iter().map(words).collect::<Vec<_>>().join(", ")) "." }
            @if let Some(since) = day.complete_since { p .soft { "Counted from " (exactly(since)) " on: more happened than is counted." } }
            div .scroll tabindex="0" role="group" aria-label="Last 24 hours" {
                table .day {
                    tbody { @for event in &happened { (lane_of(day, *event)) } }
                }
            }
        }
    }
}

/// The beginning of a step, and that of the next, for people.
pub(super) fn between(since: Timestamp, length: i64, step: usize) -> String {
    let moment = |step: usize| {
        let millis = length.saturating_mul(i64::try_from(step).unwrap_or_default());
        exactly(Timestamp::from_millis(
            since.as_millis().saturating_add(millis),
        ))
    };
    format!("{} to {}", moment(step), moment(step + 1))
}

/// The last days as a bar for each: whether there is more of something than there was.
fn last_days(days: &Days) -> Markup {
    let happened: Vec<Event> = Event::ALL
        .into_iter()
        .filter(|event| days.total(*event) > 0)
        .collect();
    let name = format!("Last {} days", Days::NUMBER);
    html! {
        @if !happened.is_empty() {
            h2 { (name) }
            @if let Some(since) = days.complete_since { p .soft { "Counted from " (exactly(since)) " on: of what was before, not all is kept and counted." } }
            div .scroll tabindex="0" role="group" aria-label=(name) {
                table .day.days { tbody { @for event in &happened { (bars_of(days, *event)) } } }
            }
        }
    }
}

fn bars_of(days: &Days, event: Event) -> Markup {
    let (one, many, tone) = lane(event);
    let counts = days.of(event);
    let most = counts.iter().copied().max().unwrap_or_default().max(1);
    let height = |number: u64| height(number, most);
    let label = format!(
        "{} in the last {} days, at most {most} on one",
        counted(days.total(event), one, many),
        Days::NUMBER
    );
    html! {
        tr {
            th scope="row" { (many) }
            td {
                svg viewBox=(format!("0 0 {} {HIGHEST}", counts.len() * SLOT)) role="img" aria-label=(label) {
                    @for (day, number) in counts.iter().enumerate().filter(|(_, number)| **number > 0) {
                        @let height = height(*number);
                        rect .(tone.class()) x=(day * SLOT + 1) y=(HIGHEST - height) width=(SLOT - 2) height=(height) {
                            title { (counted(*number, one, many)) ", " (between(days.since, Days::STEP, day)) }
                        }
                    }
                }
            }
            td { (days.total(event)) }
        }
    }
}

fn lane_of(day: &Day, event: Event) -> Markup {
    let (one, many, tone) = lane(event);
    let counts = day.of(event);
    html! {
        tr {
            th scope="row" { (many) }
            td {
                svg viewBox=(format!("0 0 {} {LANE}", counts.len() * SLOT)) role="img" aria-label=(format!("{} in the last 24 hours", counted(day.total(event), one, many))) {
                    @for (step, number) in counts.iter().enumerate().filter(|(_, number)| **number > 0) {
                        // The area of a dot, and not its width, would be what people compare; few
                        // need to tell 20 from 200.
                        @let radius = match number { 1 => 3, 2..10 => 4, 10..100 => 5, _ => 6 };
                        circle .(tone.class()) cx=(step * SLOT + SLOT / 2) cy=(LANE / 2) r=(radius) {
                            title { (counted(*number, one, many)) ", " (between(day.since, Day::STEP, step)) }
                        }
                    }
                }
            }
            td { (day.total(event)) }
        }
    }
}

/// The key of a tag, and its value for each workspace that has one.
pub(super) type Tagged<'t> = (&'t str, &'t HashMap<WorkspaceId, String>);

/// The value of a tag for each workspace: of the values that most have, because each is a look at
/// the store.
pub(super) async fn values_of(
    web: &Web,
    organization: &OrganizationId,
    fleet: &Fleet,
    key: &str,
) -> Result<HashMap<WorkspaceId, String>, StoreError> {
    let of_key = fleet.tags.iter().filter(|(one, ..)| one == key);
    let mut values: Vec<(&str, u64)> = of_key
        .filter_map(|(_, value, number)| Some((value.as_deref()?, *number)))
        .collect();
    values.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    values.truncate(PREFIXES);
    let mut found = HashMap::new();
    for (value, _) in values {
        let tagged = web
            .service
            .store()
            .with_tag(organization, key, Some(value))
            .await?;
        found.extend(
            tagged
                .into_iter()
                .map(|workspace| (workspace, value.to_owned())),
        );
    }
    Ok(found)
}

/// The choices of what groups the squares: the name, or a tag with values.
fn groupings(fleet: &Fleet, chosen: Option<&str>) -> Markup {
    let mut keys: BTreeMap<&str, u64> = BTreeMap::new();
    for (key, _, number) in fleet.tags.iter().filter(|(_, value, _)| value.is_some()) {
        *keys.entry(key.as_str()).or_default() += number;
    }
    let mut keys: Vec<(&str, u64)> = keys.into_iter().collect();
    keys.sort_by_key(|(key, number)| (chosen != Some(*key), std::cmp::Reverse(*number)));
    keys.truncate(KEYS);
    let labels: Vec<String> = keys.iter().map(|(key, _)| shown(key)).collect();
    let number = u64::try_from(fleet.inventory.workspaces).unwrap_or(u64::MAX);
    let by_name = Chip {
        label: "Name",
        number,
        link: "?".to_owned(),
        is_chosen: chosen.is_none(),
    };
    let by_tag = keys.iter().zip(&labels).map(|((key, number), label)| Chip {
        label,
        number: *number,
        link: form_urlencoded::Serializer::for_suffix("?".to_owned(), 1)
            .append_pair("by", key)
            .finish(),
        is_chosen: chosen == Some(*key),
    });
    let all: Vec<Chip<'_>> = std::iter::once(by_name).chain(by_tag).collect();
    html! { @if !keys.is_empty() { (chips("Squares by", &all)) } }
}

/// The squares, grouped by the first part of the name, or by the value of a tag.
fn squares(organization: &str, fleet: &Fleet, by: Option<Tagged<'_>>) -> Markup {
    let mut groups: BTreeMap<&str, Vec<&Square>> = BTreeMap::new();
    let mut others: Vec<&Square> = Vec::new();
    for square in &fleet.squares {
        let label = match by {
            Some((_, values)) => values.get(&square.workspace).map(String::as_str),
            None => Some(prefix(&square.name)),
        };
        match label {
            Some(label) => groups.entry(label).or_default().push(square),
            None => others.push(square),
        }
    }
    let mut groups: Vec<(&str, Vec<&Square>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, squares)| std::cmp::Reverse(squares.len()));
    others.extend(
        groups
            .split_off(groups.len().min(PREFIXES))
            .into_iter()
            .flat_map(|(_, squares)| squares),
    );
    let (mut drawn, mut links) = (Vec::new(), LINKS);
    for (name, squares) in &groups {
        let link = match (by, squares.as_slice()) {
            (Some((key, _)), _) => {
                workspaces_tagged(organization, &tag_as_written(key, Some(*name)))
            }
            // A list of one would be a step more.
            (None, [only]) if only.name == *name => format!("/ui/workspaces/{}", only.workspace),
            (None, _) => format!(
                "?name={}",
                form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>()
            ),
        };
        drawn.push(group(
            &html! { a href=(link) { (shown(name)) } },
            squares,
            &mut links,
        ));
    }
    if !others.is_empty() {
        drawn.push(group(&html! { span { "others" } }, &others, &mut links));
    }
    let hidden = fleet.inventory.workspaces - fleet.squares.len();
    html! {
        div .fleet { @for one in drawn { (one) } }
        @if hidden > 0 { p .soft { (hidden) " more are not drawn; the list has them." } }
    }
}

fn prefix(name: &str) -> &str {
    name.split(['-', '_', '.']).next().unwrap_or(name)
}

fn group(heading: &Markup, squares: &[&Square], links: &mut usize) -> Markup {
    let height = squares.len().div_ceil(ROW) * 12;
    let mut paths: BTreeMap<Group, (String, usize)> = BTreeMap::new();
    let mut apart = Vec::new();
    for (index, square) in squares.iter().enumerate() {
        let (x, y) = (index % ROW * 12, index / ROW * 12);
        let is_wrong = matches!(
            square.status,
            Group::Stuck | Group::Failing | Group::Unreadable
        ) || square.locked;
        if is_wrong && *links > 0 {
            *links -= 1;
            apart.push((square, shape(square.status, x, y), (x, y)));
        } else {
            let (path, number) = paths.entry(square.status).or_default();
            path.push_str(&shape(square.status, x, y));
            *number += 1;
        }
    }
    html! {
        div .group {
            (heading)
            svg viewBox=(format!("0 0 {} {height}", ROW * 12)) role=(if apart.is_empty() { "img" } else { "group" }) aria-label=(format!("{} by status", counted(squares.len(), "workspace", "workspaces"))) {
                @for (status, (path, number)) in &paths {
                    path .(tone(*status).class()) d=(path) { title { (number_of(*number, *status)) } }
                }
                @for (square, path, (x, y)) in &apart {
                    a href=(format!("/ui/workspaces/{}", square.workspace)) {
                        path .(tone(square.status).class()) d=(path) {
                            title { (shown(&square.name)) " " (alone(square.status)) @if square.locked { ", locked" } }
                        }
                        @if square.locked { circle .lock cx=(x + 4) cy=(y + 4) r="2" {} }
                    }
                }
            }
        }
    }
}

fn number_of(number: usize, group: Group) -> String {
    format!(
        "{number} {}",
        if number == 1 {
            alone(group)
        } else {
            in_words(group)
        }
    )
}

/// The group of one workspace, as the end of a sentence.
const fn alone(group: Group) -> &'static str {
    match group {
        Group::Current => "is current",
        Group::Behind => "needs an upgrade",
        Group::Stuck => "cannot be upgraded",
        Group::Failing => "failed in the last job or plan",
        Group::Unreadable => "cannot be read",
        Group::Locked => "is locked",
        Group::Empty => "has no state",
    }
}

/// A shape for each status, for who does not see colors.
fn shape(group: Group, x: usize, y: usize) -> String {
    let mut path = String::new();
    let _ = match group {
        Group::Current | Group::Locked => write!(path, "M{x} {y}h9v9h-9z"),
        Group::Behind => write!(path, "M{x} {y}v9h9z"),
        Group::Stuck | Group::Failing | Group::Unreadable => {
            write!(path, "M{x} {}h9l-4.5-9z", y + 9)
        }
        Group::Empty => write!(path, "M{} {}h3v3h-3z", x + 3, y + 3),
    };
    path
}
