/** Examples of the fields of a kind. */

import type { ExampleValue, Fields } from "../../../config/documents/schema.ts";

type Path = readonly string[];

/** Each example of a field, and its path; `[]` is an element of a list. */
export function* examplesIn(
  fields: Fields,
  above: Path = [],
): Generator<readonly [Path, ExampleValue]> {
  for (const [key, { shape, examples }] of Object.entries(fields)) {
    const path = [...above, key];
    for (const { value } of examples ?? []) yield [path, value];
    let inner = shape;
    const steps: string[] = [];
    while (inner.shape === "list" || inner.shape === "map") {
      steps.push(inner.shape === "list" ? "[]" : "own");
      inner = inner.of;
    }
    if (inner.shape !== "struct") continue;
    yield* examplesIn(inner.fields, [...path, ...steps]);
  }
}
