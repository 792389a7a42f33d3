// Keeps what is marked as live up to date: it is loaded again every two seconds until the server says that it is finished. The rest is comfort:
// times in the zone of the reader, keys for the search and for lists, buttons that copy, and no stop for the Tab key at what cannot be scrolled.
// Without all of it, the page works.
"use strict";
const comfort = () => {
  for (const one of document.querySelectorAll("time[datetime]:not([data-here])")) {
    one.dataset.here = "";
    one.title += ", here " + new Date(one.dateTime).toLocaleString(undefined, { dateStyle: "short", timeStyle: "long" });
  }
  for (const one of document.querySelectorAll("[data-copy], body > footer > p")) one.hidden = false;
  for (const one of document.querySelectorAll(".scroll")) one.tabIndex = one.scrollWidth > one.clientWidth ? 0 : -1;
};
addEventListener("resize", comfort);
comfort();
// The rows of tables and lists, and the instances of a plan: what has a link, a disclosure or a box in it takes the focus, or else the heading.
const go = (by) => {
  const rows = [...document.querySelectorAll("main tbody tr, main .timeline > li, main section")];
  // Each once, because a row in the part of an instance has the stop that this part has.
  const found = rows.map((row) => row.querySelector("a, summary") ?? row.querySelector("h3")).filter((stop) => stop?.checkVisibility());
  const stops = [...new Set(found)];
  const here = stops.findIndex((stop) => stop === document.activeElement);
  const next = stops[here < 0 ? (by > 0 ? 0 : stops.length - 1) : here + by];
  if (!next) return;
  if (next.matches("h3")) next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
};
// When g was pressed, because the key after it names a page of the organization.
let going = -Infinity;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const find = document.getElementById("find");
  const to = event.timeStamp - going < 2000 && document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
  going = event.key === "g" ? event.timeStamp : -Infinity;
  const act = to ? () => to.click() : { "/": find && (() => find.focus()), j: () => go(1), k: () => go(-1) }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});
addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.parentElement.querySelector("code");
  getSelection().selectAllChildren(text);
  // Without TLS or leave, a browser has no clipboard for pages, but copies what is selected.
  const written = await navigator.clipboard?.writeText(text.textContent).then(() => true, () => false);
  const copied = written || document.execCommand("copy");
  button.textContent = copied ? "Copied" : "Selected: press Ctrl+C";
});
// The number on the button is that of the choice before, so that it would be wrong.
addEventListener("input", ({ target }) => {
  const button = target.form?.querySelector("[data-chosen]");
  if (button && ["names", "tag", "workspace"].includes(target.name)) button.textContent = button.dataset.chosen;
});
const isStatus = (one) => one.getAttribute("role") === "status";
// An element without what is in it.
const outline = (one) => one.cloneNode(false).outerHTML;
// The status stays the element that it is, so that screen readers say what changes in it; the focus stays where it was.
const update = (live, now) => {
  const focused = live.contains(document.activeElement) ? outline(document.activeElement) : null;
  const status = [...live.children].find(isStatus);
  const next = [...now.children].find(isStatus);
  if (status.textContent !== next.textContent) status.replaceChildren(...next.childNodes);
  next.remove();
  for (const one of [...live.children]) if (one !== status) one.remove();
  live.append(...now.children);
  live.toggleAttribute("data-live", now.hasAttribute("data-live"));
  if (focused === null) return;
  const same = [...live.querySelectorAll("a, button, [tabindex]")].find((one) => outline(one) === focused);
  (same ?? live).focus({ preventScroll: true });
};
// Since when the server does not answer.
let away = null;
const sayAway = (live, since) => {
  let said = document.getElementById("away");
  if (!said) {
    said = document.createElement("p");
    said.id = "away";
    said.className = "bad";
    said.setAttribute("role", "alert");
    live.before(said);
    document.title = "? " + document.title;
  }
  said.textContent = "No answer from the server since " + since.toLocaleTimeString() + "; trying again.";
};
const refresh = async () => {
  const live = document.querySelector("[data-live]");
  if (!live) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.getElementById("live");
    if (!answer.ok || !now) return location.reload();
    update(live, document.adoptNode(now));
    document.title = page.title;
    comfort();
    away = null;
    document.getElementById("away")?.remove();
  } catch {
    // The server is away; it may come back. Until then, nobody should take what is shown for what is true.
    away ??= new Date();
    sayAway(live, away);
  }
  setTimeout(refresh, 2000);
};
setTimeout(refresh, 2000);
