import assert from "node:assert/strict";
import fc from "fast-check";
import { CORE_SCHEMA, load, YAML11_SCHEMA } from "js-yaml";
import { parse } from "yaml";
import { yamlDocument } from "../../terminal/yaml_rows.ts";

const quoted = [
  "52:54:00:12:34:56",
  "190:20:30.15",
  "2026-01-02",
  "2026-01-02T03:04:05Z",
  "2026-1-2 3:04:05 +1",
  "yes",
  "No",
  "on",
  "OFF",
  "y",
  "017",
  "0o17",
  "0b11",
  "0x1F",
  "1_000",
  "1,000",
  "1e3",
  "e0",
  "+.5",
  ".inf",
  "~",
  "=",
  "<<",
  "---",
  "::1",
];

Deno.test("yamlDocument quotes text that some reader takes for another type", () => {
  for (const text of quoted) {
    assert.equal(yamlDocument({ v: text }), `v: "${text}"\n`);
    assert.equal(yamlDocument({ [text]: 1 }), `"${text}": 1\n`);
  }
  assert.equal(yamlDocument({ v: "a\x85b\ufeff" }), 'v: "a\\u0085b\\ufeff"\n');
});

Deno.test("yamlDocument is read alike by readers of YAML 1.1 and 1.2", () => {
  const pieces = "0 1 7 9 5 : . - + _ , e E x o b T Z ~ = < y n o f a".split(
    " ",
  );
  const characters = [...pieces, " ", "\t", "\n", "\r", "\x85", "\u2028", "'"];
  const close = fc.string({ unit: fc.constantFrom(...characters) });
  const scalar = fc.oneof(
    close,
    fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
    fc.constantFrom(...quoted),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const row = fc.array(scalar, { maxLength: 5 });
  fc.assert(
    fc.property(row, close, (values, key) => {
      const expected = JSON.parse(JSON.stringify({ values, [`k${key}`]: 1 }));
      const text = yamlDocument(expected);
      for (const version of ["1.1", "1.2"] as const) {
        assert.deepEqual(parse(text, { version, logLevel: "error" }), expected);
      }
      for (const schema of [CORE_SCHEMA, YAML11_SCHEMA]) {
        assert.deepEqual(load(text, { schema }), expected);
      }
    }),
    { numRuns: 40 },
  );
});
