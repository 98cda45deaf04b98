import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import {
  parseSpec,
  plainScalar,
} from "../../../transport/node/resource_yaml.ts";

Deno.test("parseSpec reads mappings, lists and scalars of every kind", () => {
  const yaml = `address: 10.0.0.1/24
index: 7
ratio: 1.5
up: true
gone: null
empty: ""
none: []
peers:
    - name: a
      tags: [x, "1"]
text: |-
    one
    two
`;
  assert.deepEqual(parseSpec(yaml), {
    address: "10.0.0.1/24",
    index: 7,
    ratio: 1.5,
    up: true,
    gone: null,
    empty: "",
    none: [],
    peers: [{ name: "a", tags: ["x", "1"] }],
    text: "one\ntwo",
  });
});

Deno.test("parseSpec reads specs that are not a mapping", () => {
  assert.equal(parseSpec("controlplane\n"), "controlplane");
  assert.equal(parseSpec("|\n    a: 1\n    b: 2\n"), "a: 1\nb: 2\n");
  assert.deepEqual(parseSpec("- a\n- b: 1\n"), ["a", { b: 1 }]);
  assert.equal(parseSpec("\n"), null);
});

Deno.test("parseSpec keeps whole numbers beyond 2^53 exact", () => {
  assert.deepEqual(
    parseSpec(
      "a: 18446744073709551615\nb: -9223372036854775808\nc: +9007199254740993\n",
    ),
    {
      a: 18_446_744_073_709_551_615n,
      b: -9_223_372_036_854_775_808n,
      c: 9_007_199_254_740_993n,
    },
  );
});

Deno.test("parseSpec leaves times, words of YAML 1.1 and bytes as text", () => {
  assert.deepEqual(
    parseSpec("at: 2026-01-02T03:04:05Z\non: yes\nkey: !!binary aGVs\n"),
    { at: "2026-01-02T03:04:05Z", on: "yes", key: "aGVs" },
  );
});

Deno.test("parseSpec treats names of built-in properties as keys", () => {
  const spec = parseSpec("__proto__:\n    a: 1\n") as object;
  assert.deepEqual(Object.keys(spec), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(spec), Object.prototype);
});

Deno.test("parseSpec refuses what could grow, never ends or is not YAML", () => {
  const refused = [
    "a: &a [1]\nb: *a\n",
    "[".repeat(200),
    "a: 1\n---\nb: 2\n",
    "a: 1\na: 2\n",
    "a: !unknown b\n",
    'a: "open\n',
    "\ta: b: c\n",
  ];
  for (const yaml of refused) {
    assert.throws(() => parseSpec(yaml), OsctlError, yaml.slice(0, 20));
  }
});

Deno.test("plainScalar reads a text as talosctl reads it back from its own YAML", () => {
  // Results of talosctl v1.12.11's libraries for each of these in metadata.
  const read: readonly (readonly [string, unknown])[] = [
    ["", null],
    ["~", null],
    ["null", null],
    ["true", true],
    ["yes", "yes"],
    ["1", 1],
    ["11", 11],
    ["-1", -1],
    ["+1", 1],
    ["1_000", 1000],
    ["007", 7],
    ["017", 15],
    ["08", 8],
    ["0x10", 16],
    ["0o17", 15],
    ["0b11", 3],
    ["1.5", 1.5],
    [".5", 0.5],
    ["1.", 1],
    ["1e3", 1000],
    ["1E400", "1E400"],
    ["123456789012345678", 123456789012345678n],
    ["18446744073709551615", 18446744073709551615n],
    ["18446744073709551616", 18446744073709552000],
    ["-9223372036854775809", -9223372036854776000],
    ["12:30", "12:30"],
    ["NaN", "NaN"],
    [".inf", ".inf"],
    ["a: b", "a: b"],
    ["[a]", "[a]"],
    [" 1", " 1"],
    ["1\n", "1\n"],
    ["eth0", "eth0"],
    ["10.0.0.1", "10.0.0.1"],
    ["0x", "0x"],
    ["_1", "_1"],
    ["1__0", 10],
  ];
  for (const [text, value] of read) {
    assert.equal(plainScalar(text), value, JSON.stringify(text));
  }
});
