import assert from "node:assert/strict";
import { outputFlag } from "../../../commands/_kit/globals.ts";
import type { Format } from "../../../terminal/format.ts";
import { run } from "../../_run.ts";

const right: readonly (readonly [typed: string, format: Format])[] = [
  ["table", { kind: "table" }],
  ["wide", { kind: "table", wide: true }],
  ["name", { kind: "name" }],
  ["jsonl", { kind: "jsonl" }],
  ["custom-columns=NAME:.id,N:.node", {
    kind: "custom-columns",
    columns: [{ header: "NAME", path: ".id" }, { header: "N", path: ".node" }],
  }],
  ["custom-columns=A:{.a[0,1]},B:.b", {
    kind: "custom-columns",
    columns: [{ header: "A", path: "{.a[0,1]}" }, { header: "B", path: ".b" }],
  }],
];

for (const [typed, format] of right) {
  Deno.test(`-o ${typed} is understood`, () => {
    assert.deepEqual(outputFlag.parse(typed, undefined), format);
  });
}

const wrong: readonly (readonly [line: string, error: string])[] = [
  [
    "mounts -o custom-columns",
    'error: Invalid value "custom-columns" for -o, --output: must include columns, such as NODE:.node',
  ],
  [
    "mounts -o custom-columns=NODE",
    'error: Invalid value "custom-columns=NODE" for -o, --output: column "NODE" must be a header and a path, such as NODE:.node',
  ],
  [
    "mounts -o csv",
    'error: Invalid value "csv" for -o, --output: must be one of table, wide, json, jsonl, yaml, name, custom-columns=<header>:<path>,..., jsonpath=<template>',
  ],
  [
    "mounts --field-selector NODE",
    'error: Invalid value "NODE" for --field-selector: must be COLUMN=value or COLUMN!=value',
  ],
  [
    "mounts --color blue",
    'error: Invalid value "blue" for --color: must be one of auto, always, never',
  ],
];

for (const [line, error] of wrong) {
  Deno.test(`osctl ${line} is refused`, async () => {
    const { err, status } = await run(line);
    assert.equal(err.split("\n")[0], error);
    assert.equal(status, 2);
  });
}
