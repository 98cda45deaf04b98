import assert from "node:assert/strict";
import {
  findPackages,
  formatNotices,
  type Package,
} from "../../tools/packages.ts";

const { roots, all } = await findPackages(
  new URL("../../lib/archive/entries.ts", import.meta.url),
);

Deno.test("findPackages finds what a program imports and what that needs, without types", () => {
  assert.deepEqual(roots, ["tar-stream@3.2.2"]);
  const names = all.map(({ name }) => name);
  assert.ok(names.includes("streamx"));
  assert.deepEqual(names.filter((name) => name.startsWith("@types/")), []);
});

Deno.test("findPackages knows the licence of each package, and its text", () => {
  const tar = all.find(({ name }) => name === "tar-stream");
  assert.deepEqual([tar?.license, tar?.version], ["MIT", "3.2.2"]);
  assert.ok(tar?.needs.some((key) => key.startsWith("streamx@")));
  assert.match(tar?.texts.join() ?? "", /^The MIT License/);
  for (const { key, license } of all) assert.notEqual(license, "", key);
});

Deno.test("findPackages finds notices in code, each paragraph once: what was bundled into a package", async () => {
  const signing = new URL(
    "../../transport/signing/pgp.ts",
    import.meta.url,
  );
  const pgp = (await findPackages(signing)).all
    .find(({ name }) => name === "openpgp") ?? assert.fail();
  for (
    const part of [
      "noble-curves - MIT License (c) 2022 Paul Miller (paulmillr.com)",
      "Copyright (c) 2011 by antimatter15 (antimatter15@gmail.com).",
    ]
  ) assert.equal(pgp.notices.filter((one) => one === part).length, 1, part);
  assert.equal(
    pgp.notices.filter((one) => one.startsWith("This library is free")).length,
    1,
  );
});

function makePackage(
  name: string,
  texts: readonly string[],
  more: Partial<Package> = {},
): Package {
  const version = "1.0.0";
  const key = `${name}@${version}`;
  return {
    ...{ key, name, version, license: "ISC", texts, folder: "", needs: [] },
    notices: [],
    ...more,
  };
}

const versions = { osctl: "1.2.3", deno: "2.9.6" };
const terms = { apache: "Terms of osctl\n", gpl: "Terms of the GPL\n" };

Deno.test("formatNotices has osctl, the runtime and all packages, the same terms once", () => {
  const text = formatNotices(
    [
      makePackage("a", ["Terms\r\nof a\r\n", "Notice"]),
      makePackage("@c/d", ["Terms\nof a\n\n", "Notice\n"]),
    ],
    versions,
    terms,
  );
  const sections = text.split(`${"=".repeat(80)}\n\n`);
  assert.match(sections[0] ?? "", /deno\/blob\/v2\.9\.6\/Cargo\.lock$/m);
  assert.deepEqual(
    sections.slice(1).map((section) => section.split("\n").slice(0, 4)),
    [
      ["osctl 1.2.3 (Apache-2.0)", "", "Terms of osctl", ""],
      ["Deno 2.9.6 (MIT)", "", "MIT License", ""],
      [
        "V8, in Deno (BSD-3-Clause)",
        "",
        "Copyright 2014, the V8 project authors. All rights reserved.",
        "",
      ],
      ["a 1.0.0 (ISC)", "@c/d 1.0.0 (ISC)", "", "Terms"],
    ],
  );
  assert.match(text, /\nTerms\nof a\n\nNotice\n$/);
});

Deno.test("formatNotices adds the terms that a package refers to, and what its code names", () => {
  const lesser = makePackage("lesser", ["Terms of the LGPL"], {
    license: "LGPL-3.0+",
  });
  const bare = makePackage("bare", [], {
    license: "(Apache-2.0 AND BSD-3-Clause)",
    notices: ["Copyright 2008 somebody", "Redistribution is permitted"],
  });
  const text = formatNotices([lesser, bare], versions, terms);
  assert.match(
    text,
    /\nlesser 1\.0\.0 \(LGPL-3\.0\+\)\n\nTerms of the LGPL\n\nTerms of the GPL\n/,
  );
  assert.match(
    text,
    /\nTerms of osctl\n\nNotices in its files:\n\nCopyright 2008 somebody\n\nRedistribution is permitted\n/,
  );
});

Deno.test("formatNotices refuses a package whose terms are nowhere", () =>
  assert.throws(
    () => {
      const license = "BSD-3-Clause";
      return formatNotices(
        [makePackage("b", [], { license })],
        versions,
        terms,
      );
    },
    /Cannot find the terms of b@1\.0\.0/,
  ));

Deno.test("formatNotices writes the terms of the ISC licence where a package has no copy", () =>
  assert.match(
    formatNotices([makePackage("b", [])], versions, terms),
    /\nb 1\.0\.0 \(ISC\)\n\nCopyright the authors of b\n\nPermission to use, copy, modify/,
  ));

Deno.test("findPackages reads licences as older packages have them", async () => {
  const engine = new URL(
    "../../provisioners/docker/engine.ts",
    import.meta.url,
  );
  const { all } = await findPackages(engine);
  assert.equal(all.find(({ name }) => name === "ssh2")?.license, "MIT");
});

Deno.test("formatNotices names what is compiled into a package without a file of terms", async () => {
  const { all } = await findPackages(
    new URL("../../commands/inspect/dependencies.ts", import.meta.url),
  );
  const viz = all.filter(({ name }) => name === "@viz-js/viz");
  const terms = { apache: "", gpl: "" };
  const notices = formatNotices(viz, { osctl: "1", deno: "2" }, terms);
  assert.match(
    notices,
    /@viz-js\/viz [\d.]+ \(MIT\)\n\nCopyright the authors of @viz-js\/viz\n/,
  );
  assert.match(notices, /Graphviz, under the Eclipse Public License 1\.0/);
});
