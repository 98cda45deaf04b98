/** Types of the names in scope of a runbook's expressions. */

import type { FoundNames } from "../lookup.ts";
import type { ValueField, ValueFields } from "../../../runbook_cel/field.ts";
import type { Runbook } from "../../runbook.ts";
import { anyField } from "../../../runbook_cel/resolve.ts";
import { nodesField } from "../../../runbook_cel/fact_fields.ts";

/** Makes an object type. */
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

/** Results by node: `result` in the `outputs` of a run. */
export const bucketsField: ValueField = makeObject({
  done: namedField,
  failed: namedField,
}, "Nodes, by result");

/** Types of the inputs of a runbook. `assured`: paths of inputs known to be present. */
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

/** Type of the groups of a runbook. */
export function typeGroups({ groups }: Runbook): ValueField {
  const names = Object.keys(groups);
  return makeObject(
    Object.fromEntries(names.map((name) => [name, nodesField])),
    "Groups",
  );
}

/** Output type of a module; any value when the module is unknown. */
export function typeOutput(module: string, found: FoundNames): ValueField {
  const known = found.module(module);
  return known === undefined ? anyField : makeObject(known.output, "Output");
}
