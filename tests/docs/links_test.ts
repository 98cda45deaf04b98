import assert from "node:assert/strict";

const root = new URL("../../", import.meta.url);

async function* pages(folder = ""): AsyncGenerator<string> {
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(folder, root))
  ) {
    const path = `${folder}${name}`;
    if (name.endsWith(".md")) yield path;
    if (
      isDirectory && (folder !== "" || name === "docs" || name === ".github")
    ) {
      yield* pages(`${path}/`);
    }
  }
}

/** Anchors of headings as GitHub makes them. */
function anchors(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(
        " ",
        "-",
      )
    ),
  );
}

Deno.test("links between pages lead to files and headings that exist", async () => {
  const texts = new Map<string, string>();
  for await (const path of pages()) {
    texts.set(path, await Deno.readTextFile(new URL(path, root)));
  }
  assert.ok(texts.has("docs/decisions/README.md"));
  const broken: string[] = [];
  for (const [path, text] of texts) {
    const prose = text.replaceAll(/^```[^]*?^```/gm, "").replaceAll(
      /`[^`\n]*`/g,
      "",
    );
    for (const [, link = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      const [file = "", anchor] = link.split("#");
      const target = file === ""
        ? path
        : new URL(file, `file:///${path}`).pathname.slice(1);
      const page = texts.get(target);
      const isThere = page === undefined
        ? await Deno.stat(new URL(target, root)).then(() => true, () => false)
        : anchor === undefined || anchors(page).has(anchor);
      if (!isThere) broken.push(`${path}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
});

Deno.test("no page names a file with the project key, as there is none", async () => {
  const naming: string[] = [];
  for await (const path of pages()) {
    const text = await Deno.readTextFile(new URL(path, root));
    if (text.includes("minisign.pub")) naming.push(path);
  }
  assert.deepEqual(naming, []);
});
