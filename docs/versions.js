// The list of the book's versions, beside its buttons. `.ci/book` writes `versions.json` above the folders of the versions.
(async () => {
  // mdBook has an empty string for pages next to `index.html`.
  const own = new URL(path_to_root || "./", location.href)
  const above = new URL("../", own)
  const read = await fetch(new URL("versions.json", above)).catch(() => null)
  // A book that is read from a disk, or alone, has no other versions.
  if (!read || !read.ok) return
  const name = own.pathname.split("/").filter(Boolean).pop()
  const list = document.createElement("select")
  list.setAttribute("aria-label", "Version")
  for (const version of await read.json()) list.add(new Option(version, version, false, version === name))
  list.addEventListener("change", async () => {
    const goal = new URL(`${list.value}/`, above)
    const page = new URL(location.href.slice(own.href.length), goal)
    const there = await fetch(page, { method: "HEAD" }).catch(() => null)
    // A page that the other version does not have is answered with its first one.
    location.href = (there && there.ok ? page : goal).href
  })
  document.querySelector(".right-buttons").prepend(list)
})()
