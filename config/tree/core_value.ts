import { type ConfigNode, isNull } from "./node.ts";
import type { Json } from "../../lib/json.ts";

const truths = new Map<string, boolean>([
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);
const whole = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const fraction = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Converts a tree to a JSON value. Words and numbers of YAML 1.1 are texts, as are numbers that JSON lacks. */
export function coreValue(node: ConfigNode | undefined): Json {
  if (node === undefined || isNull(node)) return null;
  switch (node.kind) {
    case "scalar":
      return node.plain ? plainValue(node.text) : node.text;
    case "list":
      return node.items.map(({ value }) => coreValue(value));
    case "map": {
      const entries = node.entries.map(({ key, value }) =>
        [key, coreValue(value)] as const
      );
      // Keys such as __proto__ become keys, not prototypes.
      return Object.fromEntries(entries);
    }
  }
}

function plainValue(text: string): Json {
  const truth = truths.get(text);
  if (truth !== undefined) return truth;
  if (!whole.test(text) && !fraction.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}
