/** Recognizes files that are not machine configurations. */

import type { ConfigNode } from "../tree/node.ts";
import { toCursor } from "./cursor.ts";

interface OtherInput {
  /** With its article: `a kubeconfig`. */
  readonly name: string;
  readonly hint?: string;
}

/**
 * Recognizes documents that are often mistaken for machine configurations.
 *
 * @returns `undefined` if it may be a configuration, or is unknown.
 */
export function recognizeOther(root: ConfigNode): OtherInput | undefined {
  const cursor = toCursor(root);
  const has = (key: string) => cursor.get(key).node !== undefined;
  const items = cursor.items();
  if (items.length > 0) {
    const isPatch = items.every((item) => item.get("op").node !== undefined);
    return isPatch ? jsonPatch : undefined;
  }
  return others.find(({ keys, without = [], kind }) =>
    keys.every(has) && !without.some(has) &&
    (kind === undefined || cursor.get("kind").text() === kind)
  );
}

const jsonPatch: OtherInput = {
  name: "a JSON patch",
  hint: "Give it as a patch: osctl patch machineconfig --patch @FILE",
};

interface Sign extends OtherInput {
  readonly keys: readonly string[];
  /** Keys that must be absent. */
  readonly without?: readonly string[];
  /** Value of `kind`. */
  readonly kind?: string;
}

const others: readonly Sign[] = [
  {
    name: "a resource, as osctl get prints it",
    hint:
      "Export the configuration with: osctl get machineconfig v1alpha1 -o 'jsonpath={.spec}'",
    keys: ["metadata", "spec"],
    without: ["apiVersion", "kind"],
  },
  { name: "a kubeconfig", keys: ["apiVersion", "clusters"], kind: "Config" },
  {
    name: "a client configuration",
    keys: ["context", "contexts"],
    without: ["apiVersion", "kind"],
  },
  {
    name: "a secrets bundle",
    hint:
      "Create a configuration from it with: osctl gen config --with-secrets FILE",
    keys: ["secrets", "certs"],
    without: ["machine"],
  },
  {
    name: "an image factory schematic",
    keys: ["customization"],
    without: ["apiVersion", "kind", "machine"],
  },
];
