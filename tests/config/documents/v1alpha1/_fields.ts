/** Walks through all fields of the document. */

import type {
  Field,
  Fields,
  Shape,
} from "../../../../config/documents/schema.ts";

/** A field and where it is. */
export interface Found {
  /** Keys with dots between; `[]` for elements of a list, `{}` for values of a map. */
  readonly path: string;
  /** The field. */
  readonly field: Field;
  /** True when it or something around it is deprecated. */
  readonly old: boolean;
}

/** Finds all fields, those around others first. */
export function* fieldsIn(
  fields: Fields,
  above = "",
  old = false,
): Generator<Found> {
  for (const [key, field] of Object.entries(fields)) {
    const found = {
      path: `${above}${key}`,
      field,
      old: old || field.deprecated !== undefined,
    };
    yield found;
    const [inner, step] = innermost(field.shape);
    if (inner.shape !== "struct") continue;
    yield* fieldsIn(inner.fields, `${found.path}${step}.`, found.old);
  }
}

/** Lists the paths of fields that something holds of. */
export function pathsWhere(
  fields: Fields,
  holds: (field: Field) => boolean,
): string[] {
  return [...fieldsIn(fields)].filter(({ field }) => holds(field))
    .map(({ path }) => path);
}

function innermost(shape: Shape): [Shape, string] {
  if (shape.shape !== "list" && shape.shape !== "map") return [shape, ""];
  const [inner, step] = innermost(shape.of);
  return [inner, (shape.shape === "list" ? "[]" : "{}") + step];
}
