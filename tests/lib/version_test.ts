import assert from "node:assert/strict";
import {
  compareVersions,
  flagProblem,
  isOlder,
  isOlderMinor,
  parseVersion,
  pathProblem,
  withV,
} from "../../lib/version.ts";

function order(a: string, b: string): number {
  const [one, two] = [parseVersion(a), parseVersion(b)];
  assert.ok(one && two);
  return Math.sign(compareVersions(one, two));
}

Deno.test("versions are ordered as Semantic Versioning orders them", () => {
  const rising = [
    "v1.9.9",
    "v1.12.0-alpha.0",
    "v1.12.0-alpha.0.3",
    "v1.12.0-alpha.2",
    "v1.12.0-alpha.10",
    "v1.12.0-alpha.beta",
    "v1.12.0-beta.0",
    "v1.12.0",
    "v1.12.1",
    "v1.13.0",
    "v2.0.0",
  ];
  for (const [index, version] of rising.entries()) {
    assert.equal(order(version, version), 0);
    const next = rising[index + 1];
    if (next === undefined) continue;
    assert.equal(order(version, next), -1, `${version} ${next}`);
    assert.equal(order(next, version), 1, `${next} ${version}`);
  }
  assert.equal(order("1.12.0+abc", "v1.12.0"), 0);
});

Deno.test("one minor version forward is the longest step, and there is none back", () => {
  const fine = [
    ["v1.12.1", "v1.12.1"],
    ["v1.12.1", "v1.12.9"],
    ["v1.12.1", "v1.13.0-beta.0"],
    ["v1.12.1", "v1.13.4"],
    ["v1.12.1", "latest"],
  ] as const;
  for (const [from, to] of fine) assert.equal(pathProblem(from, to), undefined);
  assert.equal(
    pathProblem("v1.12.1", "v1.14.0"),
    "v1.14.0 is more than one minor version ahead of v1.12.1",
  );
  assert.equal(
    pathProblem("v1.12.1", "v1.12.0"),
    "v1.12.0 is older than v1.12.1, and may not understand the data of the newer version on disk",
  );
  assert.match(pathProblem("v1.12.1", "v2.0.0") ?? "", /more than one minor/);
});

Deno.test("a flag is refused by its name on nodes that are too old for it", () => {
  assert.equal(
    flagProblem("--mode force", 12, "v1.11.6"),
    "--mode force needs v1.12 or later, and the node runs v1.11.6",
  );
  for (const version of ["v1.12.0", "v1.13.0-beta.0", "v2.0.0", "", "main"]) {
    assert.equal(flagProblem("--mode force", 12, version), undefined, version);
  }
});

Deno.test("isOlder compares by number, and a pre-release comes before its release", () => {
  const older = ["v1.7.9", "v0.99.0", "1.7.0", "v1.8.0-alpha.1"];
  const notOlder = ["v1.8.0", "v1.8.1", "v1.10.0", "v2.0.0", "v1.8.0+dirty"];
  for (const tag of older) assert.equal(isOlder(tag, "v1.8.0"), true, tag);
  for (const tag of notOlder) {
    assert.equal(isOlder(tag, "v1.8.0"), false, tag);
  }
});

Deno.test("isOlderMinor compares the first two numbers alone", () => {
  for (const [a, b] of [["1.9", "1.10"], ["v1.13.9", "1.14"], ["0.9", "1.0"]]) {
    assert.equal(isOlderMinor(a!, b!), true);
    assert.equal(isOlderMinor(b!, a!), false);
  }
  assert.equal(isOlderMinor("1.13.0", "1.13.9"), false);
  assert.equal(isOlderMinor("latest", "1.13"), false);
});

Deno.test("withV puts one v in front", () => {
  assert.equal(withV("1.13.2"), "v1.13.2");
  assert.equal(withV("v1.13.2"), "v1.13.2");
});
