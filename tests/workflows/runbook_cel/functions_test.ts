import assert from "node:assert/strict";
import { growth, proportional } from "../../_scaling.ts";
import {
  cidrContains,
  glob,
  needsUpgrade,
  semverCompare,
  semverMinorGap,
  targetImage,
} from "../../../workflows/runbook_cel/functions.ts";
import type { NodeFacts } from "../../../workflows/runbook_cel/facts.ts";
import { imageFactory, imagePrefix } from "../../../talos.ts";
import { node } from "./_scope.ts";

const schematic = "a".repeat(64);
const other = "b".repeat(64);

Deno.test("versions are compared and their minor versions counted", () => {
  assert.equal(semverCompare("v1.13.0", "1.13.0"), 0n);
  assert.equal(semverCompare("v1.13.0-beta.1", "v1.13.0"), -1n);
  assert.equal(semverCompare("v2.0.0", "v1.99.9"), 1n);
  assert.equal(semverMinorGap("v1.11.3", "v1.13.0"), 2n);
  assert.equal(semverMinorGap("v1.13.0", "v1.11.3"), -2n);
  assert.throws(() => semverMinorGap("v1.13.0", "v2.0.0"), /different major/);
  assert.throws(() => semverCompare("x", "v2.0.0"), /Cannot read "x"/);
});

Deno.test("a node needs an upgrade when version or image is another one", () => {
  const made = node("n", {
    version: "v1.13.0",
    schematic,
    image: `${imageFactory}/metal-installer/${schematic}:v1.13.0`,
  });
  const table: readonly [string, string, boolean][] = [
    ["v1.13.0", "keep", false],
    ["v1.13.1", "keep", true],
    ["v1.12.9", "keep", true],
    ["v1.13.0", `${imageFactory}/metal-installer/${schematic}:v1.13.0`, false],
    ["v1.13.0", `${imageFactory}/metal-installer/${other}`, true],
    ["v1.13.0", `${imagePrefix}/installer:v1.13.0`, true],
  ];
  for (const [version, image, expected] of table) {
    assert.equal(needsUpgrade(made, version, image), expected, version + image);
  }
  const plain = node("n", {
    version: "v1.13.0",
    image: `${imagePrefix}/installer:v1.13.0`,
  });
  assert.equal(
    needsUpgrade(plain, "v1.13.0", `${imagePrefix}/installer:v1.13.0`),
    false,
  );
  assert.equal(
    needsUpgrade(node("n", { version: "" }), "v1.13.0", "keep"),
    true,
  );
  assert.throws(() => needsUpgrade(plain, "soon", "keep"), /not a version/);
});

Deno.test("the image of a node is kept in another version, or the one that is named", () => {
  const own = `registry.local:5000/mirror/metal-installer/${schematic}`;
  const kept = (image: string, id: string, more: Partial<NodeFacts> = {}) =>
    targetImage(
      node("n", { image, schematic: id, customized: true, ...more }),
      "keep",
      "v1.13.0",
    );
  assert.equal(kept(`${own}:v1.12.4`, schematic), `${own}:v1.13.0`);
  assert.equal(
    kept(`${own}:v1.12.4`, other),
    `registry.local:5000/mirror/metal-installer/${other}:v1.13.0`,
  );
  assert.equal(
    kept(`${imagePrefix}/installer:v1.12.4`, ""),
    `${imagePrefix}/installer:v1.13.0`,
  );
  assert.equal(kept("", ""), `${imagePrefix}/installer:v1.13.0`);
  assert.equal(
    kept("", other),
    `${imageFactory}/metal-installer/${other}:v1.13.0`,
    "extensions are not lost",
  );
  assert.equal(
    kept("", other, { platform: "aws", secureBoot: true }),
    `${imageFactory}/aws-installer-secureboot/${other}:v1.13.0`,
    "platform and secure boot are those of the node",
  );
  assert.equal(
    kept("", other, { customized: false }),
    `${imagePrefix}/installer:v1.13.0`,
    "the plain image has all of it",
  );
  const named = (image: string) => targetImage(node("n"), image, "v1.13.0");
  assert.equal(named("a.local:5000/x"), "a.local:5000/x:v1.13.0");
  assert.equal(named("a.local:5000/x:v1.12.0"), "a.local:5000/x:v1.12.0");
  assert.equal(named("a.local/x@sha256:00"), "a.local/x@sha256:00");
});

Deno.test("glob fits whole texts, and takes no time for evil patterns", () => {
  const table: readonly [string, string, boolean][] = [
    ["worker-1", "worker-*", true],
    ["worker-1", "worker-?", true],
    ["worker-11", "worker-?", false],
    ["a-worker-1", "worker-*", false],
    ["abcbd", "a*b?", true],
    ["abcbde", "a*b?", false],
    ["", "*", true],
    ["", "", true],
    ["a", "", false],
    ["a.c", "a.c", true],
    ["abc", "a.c", false],
    ["ab", "ab**", true],
  ];
  for (const [text, pattern, expected] of table) {
    assert.equal(glob(text, pattern), expected, `${text} ${pattern}`);
  }
});

Deno.test("glob takes time in proportion to the text, however many stars there are", async () => {
  const grown = await growth((size) => {
    assert.equal(glob("a".repeat(size), "*a".repeat(20) + "b"), false);
  }, 5_000);
  assert.ok(grown < proportional, `${grown}`);
});

Deno.test("networks hold addresses of their own kind", () => {
  const table: readonly [string, string, boolean][] = [
    ["10.0.0.0/8", "10.200.1.1", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["0.0.0.0/0", "1.2.3.4", true],
    ["10.0.0.1/32", "10.0.0.1", true],
    ["10.0.0.1/32", "10.0.0.2", false],
    ["10.0.0.0/8", "::1", false],
    ["fd00::/8", "fd12:3456::1", true],
    ["fd00::/8", "fe80::1", false],
    ["::/0", "::ffff:10.0.0.1", true],
    ["2001:db8::/32", "2001:db8:0:0:0:0:0:1", true],
  ];
  for (const [net, ip, expected] of table) {
    assert.equal(cidrContains(net, ip), expected, `${net} ${ip}`);
  }
  for (
    const net of [
      "10.0.0.0",
      "10.0.0.0/33",
      "10.0.0/8",
      "x/8",
      "fd00::/129",
      "fd0g::/8",
      "1::2::3/8",
    ]
  ) {
    assert.throws(
      () => cidrContains(net, "10.0.0.1"),
      /it is not a network/,
      net,
    );
  }
  assert.throws(
    () => cidrContains("10.0.0.0/8", "010.0.0.1"),
    /not an IP address/,
  );
});
