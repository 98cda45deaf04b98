/** Types of the names that expressions of a runbook see. */

import type { FoundNames } from "../lookup.ts";
import type { ValueField, ValueFields } from "../../../runbook_cel/field.ts";
import type { Runbook } from "../../runbook.ts";
import { anyField } from "../../../runbook_cel/resolve.ts";
import { nodesField } from "../../../runbook_cel/fact_fields.ts";

/** An object of named parts. */
export function makeObject(
  fields: ValueFields,
  summary = "Values",
): ValueField {
  return { type: "object", summary, fields };
}

const namedField: ValueField = {
  type: "list",
  summary: "Nodes",
  items: makeObject({ name: { type: "node", summary: "Name" } }, "Node"),
};

/** What became of the nodes of a run: `result` in its `outputs`. */
export const bucketsField: ValueField = makeObject({
  done: namedField,
  failed: namedField,
}, "Nodes, by result");

/** Inputs of a runbook. `assured`: paths of those that are known to be there. */
export function typeInputs(
  { inputs }: Runbook,
  assured: readonly (readonly (string | null)[])[] = [],
): ValueField {
  const there = new Set(
    assured.flatMap(([root, name, ...deeper]) =>
      root === "inputs" && deeper.length === 0 && name ? [name] : []
    ),
  );
  return makeObject(
    Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [
        name,
        there.has(name) ? { ...input, required: true } : input,
      ]),
    ),
    "Inputs",
  );
}

/** Groups of a runbook. */
export function typeGroups({ groups }: Runbook): ValueField {
  const names = Object.keys(groups);
  return makeObject(
    Object.fromEntries(names.map((name) => [name, nodesField])),
    "Groups",
  );
}

/** What a module gives; anything when there is no such module. */
export function typeOutput(module: string, found: FoundNames): ValueField {
  const known = found.module(module);
  return known === undefined ? anyField : makeObject(known.output, "Output");
}
