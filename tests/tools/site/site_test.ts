import assert from "node:assert/strict";
import {
  findDeadLinks,
  parseSidebar,
  toSiteLinks,
  toSitePath,
} from "../../../tools/site/site.ts";

const docs = new URL("../../../docs/", import.meta.url);

Deno.test("README.md is the index of its folder, in paths and in links", () => {
  assert.equal(toSitePath("docs/README.md"), "docs/index.md");
  assert.equal(toSitePath("docs/faq.md"), "docs/faq.md");
  assert.equal(
    toSiteLinks(
      "[a](README.md) [b](../x/README.md#y) [c](https://a/README.md) `README.md`",
    ),
    "[a](index.md) [b](../x/index.md#y) [c](https://a/README.md) `README.md`",
  );
  assert.equal(
    toSiteLinks("[r](cookbook/a-b.runbook.yaml)"),
    "[r](cookbook/index.md#a-brunbookyaml)",
  );
});

Deno.test("the sidebar has the headings and tables of the list of pages", () => {
  const text = `# Documentation

## Start

| Page                | About |
| ------------------- | ----- |
| [First](first.md)   | a     |

## Look up

| Page                              | About |
| --------------------------------- | ----- |
| [Commands](reference/README.md)   | b     |
| [Security](../SECURITY.md)        | c     |
`;
  const first = { text: "First", link: "/docs/first" };
  assert.deepEqual(parseSidebar(text), [
    { text: "Start", collapsed: false, items: [first] },
    {
      text: "Look up",
      collapsed: false,
      items: [
        { text: "Commands", link: "/docs/reference/" },
        { text: "Security", link: "/SECURITY" },
      ],
    },
  ]);
});

Deno.test("docs/README.md lists every page that people write", async () => {
  const list = await Deno.readTextFile(new URL("README.md", docs));
  const missing: string[] = [];
  for (const folder of ["", "runbooks/"]) {
    for await (const { name } of Deno.readDir(new URL(folder, docs))) {
      const path = folder + name;
      if (
        name.endsWith(".md") && path !== "README.md" &&
        !list.includes(`](${path})`)
      ) {
        missing.push(path);
      }
    }
  }
  assert.deepEqual(missing, []);
});

Deno.test("findDeadLinks names page and link", () => {
  const pages = new Map([
    [
      "/index.html",
      '<a class="b" href="docs/a.html#here">A</a><a href="gone.html">',
    ],
    [
      "/docs/a.html",
      '<h2 id="here"></h2><a href="./#x">X</a><a href="/x.svg">',
    ],
    ["/docs/index.html", '<a href="https://example.com/none">'],
    ["/x.svg", ""],
  ]);
  assert.deepEqual(findDeadLinks(pages), [
    "/index.html: gone.html",
    "/docs/a.html: ./#x",
  ]);
});
