import assert from "node:assert/strict";
import type { ConfigNode } from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { resolvePlain, sameValue } from "../../../config/tree/resolve.ts";

const numbers = {
  "1.50": "1.5",
  "1e3": "1000",
  "1e6": "1e+06",
  "1234567.5": "1.2345675e+06",
  "100000.5": "100000.5",
  "123456": "123456",
  "1e20": "1e+20",
  ".5": "0.5",
  "0.0001": "0.0001",
  "0.00001": "1e-05",
  "1e-123": "1e-123",
  "1.": "1",
  "+5": "5",
  "-0": "-0",
  "-0.0": "-0",
  "+0": "0",
  "08": "8",
  "017": "15",
  "0o17": "15",
  "0x1F": "31",
  "-0x_1": "-1",
  "0b11": "3",
  "-_1": "-1",
  "1_0.5": "10.5",
  ".1_5": "0.15",
  "18446744073709551615": "18446744073709551615",
  "18446744073709551616": "1.8446744073709552e+19",
  "-9223372036854775808": "-9223372036854775808",
  "-9223372036854775809": "-9.223372036854776e+18",
  "+9223372036854775808": "9.223372036854776e+18",
  ".INF": ".inf",
  "+.inf": ".inf",
  "-.Inf": "-.inf",
  ".NaN": ".nan",
};

const times = {
  "2001-1-1": "2001-01-01T00:00:00Z",
  "2001-12-1T1:2:3.50Z": "2001-12-01T01:02:03.5Z",
  "2001-1-1t1:2:3-05:30": "2001-01-01T01:02:03-05:30",
  "2001-1-1 1:2:3": "2001-01-01T01:02:03Z",
  "2001-01-01T01:02:03.1234567891+00:00": "2001-01-01T01:02:03.123456789Z",
  "2001-1-1T1:1:1+24:60": "2001-01-01T01:01:01+25:00",
};

const texts = ["a", "yes", "Off", "y", "1:30", "+1:2.5", "<<", "1e400", "._1"];

Deno.test("resolvePlain writes numbers as nodes do", () => {
  for (const [text, expected] of Object.entries(numbers)) {
    const resolved = { text: expected, type: "number" };
    assert.deepEqual(resolvePlain(text), resolved, text);
  }
});

Deno.test("resolvePlain writes dates in full", () => {
  for (const [text, expected] of Object.entries(times)) {
    assert.deepEqual(
      resolvePlain(text),
      { text: expected, type: "time" },
      text,
    );
  }
});

Deno.test("resolvePlain knows truth values and null", () => {
  assert.deepEqual(resolvePlain("TRUE"), { text: "true", type: "truth value" });
  assert.deepEqual(resolvePlain("False"), {
    text: "false",
    type: "truth value",
  });
  for (const text of ["", "~", "Null"]) {
    assert.deepEqual(resolvePlain(text), { text: "null", type: "null" });
  }
});

Deno.test("resolvePlain takes for texts what only YAML 1.1 knows, and the rest", () => {
  for (const text of texts) {
    assert.deepEqual(resolvePlain(text), { text, type: "text" });
  }
});

function node(text: string): ConfigNode {
  const [document] = readDocuments(`v: ${text}`, "f").documents;
  assert.ok(document?.root.kind === "map");
  const [entry] = document.root.entries;
  assert.ok(entry !== undefined);
  return entry.value;
}

const same = [
  ["a", '"a"'],
  ["0x10", "16"],
  ["1.50", "1.5"],
  ["~", "null"],
  ["True", "true"],
  ["yes", "'yes'"],
  ["[a, {b: c}]", "[a, {b: c}] # here"],
  ["{a: 1, b: 2}", "{b: 0b10, a: 1}"],
  ["[]", "[]"],
] as const;

const different = [
  ["1", '"1"'],
  ["true", '"true"'],
  ["~", '""'],
  ["a", "b"],
  ["1", "1.5"],
  ["[a, b]", "[b, a]"],
  ["[a]", "[a, a]"],
  ["{a: 1}", "{a: 1, b: 2}"],
  ["{a: 1, c: 2}", "{a: 1, b: 2}"],
  ["[]", "{}"],
  ["a", "[a]"],
  ["{a: ~}", "{}"],
] as const;

Deno.test("values that differ in spelling and order of keys are the same", () => {
  for (const [a, b] of same) {
    assert.ok(sameValue(node(a), node(b)), `${a} and ${b}`);
    assert.ok(sameValue(node(b), node(a)), `${b} and ${a}`);
  }
});

Deno.test("values of other types, lengths, keys and orders are different", () => {
  for (const [a, b] of different) {
    assert.ok(!sameValue(node(a), node(b)), `${a} and ${b}`);
    assert.ok(!sameValue(node(b), node(a)), `${b} and ${a}`);
  }
});
