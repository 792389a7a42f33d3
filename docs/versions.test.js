// Runs `versions.js` on a page of a book below a folder, without a browser: `node versions.test.js SCRIPT BOOK`.
const { readFileSync, existsSync } = require("fs")
const assert = require("assert")
const { join } = require("path")
const vm = require("vm")

const [, , script, book] = process.argv
const base = "https://book.example.com/upstate/"

// The list that a page gets, and where a choice of it leads.
async function page(address, path_to_root) {
  let list = null
  const location = { href: base + address }
  const document = {
    createElement: () => ({ options: [], add(option) { this.options.push(option) }, setAttribute() {}, addEventListener(_, f) { this.changed = f } }),
    querySelector: (name) => (assert.equal(name, ".right-buttons"), { prepend: (made) => { list = made } }),
  }
  const fetch = async (url) => {
    const file = join(book, decodeURIComponent(new URL(url).pathname.slice("/upstate/".length)))
    return { ok: existsSync(file), json: async () => JSON.parse(readFileSync(file)) }
  }
  function Option(text, value, _, selected) { Object.assign(this, { text, value, selected }) }
  vm.runInNewContext(readFileSync(script, "utf8"), { location, document, fetch, Option, URL, path_to_root })
  await new Promise((done) => setTimeout(done, 20))
  return list && { list, choose: async (version) => (list.value = version, await list.changed(), location.href) }
}

(async () => {
  const { list, choose } = await page("0.10.0/lock.html#the-file", "")
  assert.deepEqual(list.options.map(({ value, selected }) => [value, selected]), [["0.10.0", true], ["0.9.0", false]])
  assert.equal(await choose("0.9.0"), base + "0.9.0/lock.html#the-file")
  assert.equal(await (await page("0.9.0/changes/nest.html", "../")).choose("0.10.0"), base + "0.10.0/changes/nest.html")
  // The earlier version has no page of this name.
  assert.equal(await (await page("0.10.0/new.html", "")).choose("0.9.0"), base + "0.9.0/")
  assert.equal(await page("elsewhere/0.10.0/lock.html", ""), null)
})()
