import assert from "node:assert/strict";
import { noticesOf, type Package, packagesOf } from "../../tools/packages.ts";

const { roots, all } = await packagesOf(
  new URL("../../workflows/archive/entries.ts", import.meta.url),
);

Deno.test("packagesOf finds what a program imports and what that needs, without types", () => {
  assert.deepEqual(roots, ["tar-stream@3.2.2"]);
  const names = all.map(({ name }) => name);
  assert.ok(names.includes("streamx"));
  assert.deepEqual(names.filter((name) => name.startsWith("@types/")), []);
});

Deno.test("packagesOf knows the licence of each package, and its text", () => {
  const tar = all.find(({ name }) => name === "tar-stream");
  assert.deepEqual([tar?.license, tar?.version], ["MIT", "3.2.2"]);
  assert.ok(tar?.needs.some((key) => key.startsWith("streamx@")));
  assert.match(tar?.texts.join() ?? "", /^The MIT License/);
  for (const { key, license } of all) assert.notEqual(license, "", key);
});

function packageOf(name: string, texts: readonly string[]): Package {
  const version = "1.0.0";
  const key = `${name}@${version}`;
  return { key, name, version, license: "ISC", texts, folder: "", needs: [] };
}

Deno.test("noticesOf has osctl, the runtime and all packages, the same terms once", () => {
  const versions = { osctl: "1.2.3", deno: "2.9.6" };
  const text = noticesOf(
    [
      packageOf("a", ["Terms\r\nof a\r\n", "Notice"]),
      packageOf("b", []),
      packageOf("@c/d", ["Terms\nof a\n\n", "Notice\n"]),
    ],
    versions,
    "Terms of osctl\n",
  );
  const sections = text.split(`${"=".repeat(80)}\n\n`);
  assert.match(sections[0] ?? "", /deno\/blob\/v2\.9\.6\/Cargo\.lock$/m);
  assert.deepEqual(
    sections.slice(1).map((section) => section.split("\n").slice(0, 4)),
    [
      ["osctl 1.2.3 (Apache-2.0)", "", "Terms of osctl", ""],
      [
        "Deno 2.9.6 (MIT)",
        "",
        "MIT License",
        "",
      ],
      [
        "V8, in Deno (BSD-3-Clause)",
        "",
        "Copyright 2014, the V8 project authors. All rights reserved.",
        "",
      ],
      ["a 1.0.0 (ISC)", "@c/d 1.0.0 (ISC)", "", "Terms"],
      ["b 1.0.0 (ISC)", "", "Its package has no licence file.", ""],
    ],
  );
  assert.match(text, /^Terms\nof a\n\nNotice\n\n={80}$/m);
});
