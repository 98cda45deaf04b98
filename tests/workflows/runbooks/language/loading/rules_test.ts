import assert from "node:assert/strict";
import { anyStep, book, problems } from "../_finders.ts";

const wrong: readonly (readonly [input: string, ...expected: string[]])[] = [
  [
    "{ type: enum }",
    '22: Input "x": Type "enum" has no values (List them under values)',
  ],
  [
    "{ type: int, values: [a] }",
    '35: Input "x": Type "int" has no fixed values (Use type: enum)',
  ],
  [
    "{ type: int, pattern: a }",
    '36: Input "x": "pattern" has no effect for type "int" (It is used with string)',
  ],
  [
    "{ type: int, format: ca-bundle }",
    '35: Input "x": "format" has no effect for type "int" (It is used with secret)',
  ],
  [
    "{ type: string, min: 1 }",
    '35: Input "x": "min" has no effect for type "string" (It is used with int, duration, countOrPercent)',
  ],
  [
    "{ type: duration, max: 5 }",
    '37: Input "x": 5 has no unit (Give a duration such as 90s or 1h30m)',
  ],
  [
    "{ type: int, min: 5, max: 4 }",
    '40: Input "x": 4 is less than min, 5 (Swap them)',
  ],
  [
    "{ type: duration, min: 1h, max: 59m }",
    '46: Input "x": 59m is less than min, 1h (Swap them)',
  ],
  [
    "{ type: semver, mutable: true }",
    '39: Input "x": Type "semver" cannot be mutable (Use mutable for timeouts, budgets and batches)',
  ],
  [
    "{ type: nodes, mutable: true }",
    '38: Input "x": Type "nodes" cannot be mutable (Use mutable for timeouts, budgets and batches)',
  ],
  [
    "{ type: secret, default: hush }",
    '39: Input "x": A secret has no default (Remove it)',
  ],
  [
    "{ type: int, required: true, default: 1 }",
    '52: Input "x": A required input cannot have a default (Remove default, or required)',
  ],
  [
    "{ type: int, default: '${{ 1 }}' }",
    '36: Input "x": A default cannot be an expression (Give a whole number such as 3, or compute it under vars)',
  ],
  [
    "{ type: int, default: a }",
    '36: Input "x": "a" is not a whole number (Give a whole number such as 3)',
  ],
  [
    "{ type: int, max: 3, default: 4 }",
    '44: Input "x": 4 is more than 3 (Give 3 or less)',
  ],
  [
    "{ type: string, pattern: '[a-z]+', default: A1 }",
    '58: Input "x": "A1" does not match its pattern (Use a value that matches [a-z]+)',
  ],
  [
    "{ type: enum, values: [never, always], default: nevr }",
    '62: Input "x": "nevr" is not one of the allowed values (Did you mean "never"?)',
  ],
];
for (const [input, ...expected] of wrong) {
  Deno.test(`an input is wrong in its place: ${expected[0]}`, async () => {
    const text = book(`inputs: { x: ${input} }`, anyStep);
    assert.deepEqual(
      await problems(text),
      expected.map((line) => `a.yaml:5:${line}`),
    );
  });
}
