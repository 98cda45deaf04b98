import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cgroupPresets } from "../../../commands/_cgroups/presets.ts";
import {
  columnsSchema,
  readColumns,
} from "../../../commands/_cgroups/schema_file.ts";

const fits = new Ajv2020().compile(columnsSchema);

Deno.test("every preset could be written as a file, and the JSON Schema knows it", () => {
  for (const columns of Object.values(cgroupPresets)) {
    const text = JSON.stringify({ columns });
    assert.deepEqual(readColumns(text, "x"), columns);
    assert.ok(fits(JSON.parse(text)), JSON.stringify(fits.errors));
  }
});

for (
  const [text, message] of [
    ["[]", "at line 1, column 1: expected a mapping"],
    ["", "at line 1, column 1: expected a mapping"],
    ["columns: []", 'at line 1, column 1: it has no list "columns"'],
    ["columns:\n- name: A\n", 'at line 2, column 3: the column has no "value"'],
    [
      "columns:\n- value: memory.low\n",
      'at line 2, column 3: the column has no "name"',
    ],
    [
      "columns:\n- name: A\n  value: memory.low\n  formt: bytes",
      'at line 4, column 3: unknown key "formt"',
    ],
    [
      "columns:\n- name: A\n  template: '{{ .MemoryLow }}'",
      'at line 3, column 3: unknown key "template"',
    ],
    [
      "columns:\n- name: A\n  value: memory.low\n  format: kilobytes",
      'at line 4, column 3: "kilobytes" is not a format',
    ],
    [
      "columns:\n- name: A\n  value: ../memory.low",
      'at line 3, column 3: "../memory.low" is not a value of a control group',
    ],
    [
      "columns:\n- name: A\n  value: memory.low\n  width: -1",
      'at line 4, column 3: "-1" is not a whole number from 0 to 200',
    ],
    [
      "columns:\n- name: A\n  value: memory.low\n  root: maybe",
      'at line 4, column 3: "maybe" is not true or false',
    ],
    [
      "columns:\n- name: A\n  value: memory.low\n  percentOf: all",
      'at line 4, column 3: "all" is not a value of a control group',
    ],
  ] as const
) {
  Deno.test(`a file with columns is refused ${message}`, () => {
    assert.throws(() => readColumns(text, "c.yaml"), {
      name: "ConfigError",
      message: `Cannot read "c.yaml" ${message}`,
    });
  });
}
