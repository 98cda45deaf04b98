/** Shell variables in the values of a YAML tree. */

import {
  type ConfigNode,
  isNull,
  type Place,
  type ScalarNode,
  withValues,
} from "./node.ts";
import { readDocuments } from "./read.ts";

const forms = /\$\$|\$\{(\w+)(?:(:?[-=+])([^}]*))?\}|\$(\w*[^\W_]\w*)/g;

/** A variable without a value. */
interface UnsetVariable {
  readonly place: Place;
  readonly message: string;
}

/** Replaces variables in keys and values; those without a value are reported, and stay. */
export function substituteVariables(
  root: ConfigNode,
  read: (name: string) => string | undefined,
  report: (problem: UnsetVariable) => void,
): ConfigNode {
  const file = root.at?.file ?? "";
  const replace = (text: string, at = root.at): string =>
    text.replace(forms, (whole, braced, operator = "", other, bare) => {
      if (whole === "$$") return "$";
      const name = braced ?? bare;
      const value = read(name);
      if (operator.endsWith("+")) {
        return value === undefined ? "" : replace(other, at);
      }
      const isGiven = operator.startsWith(":") ? value : value !== undefined;
      if (operator !== "" && !isGiven) return replace(other, at);
      if (value) return value;
      report({
        place: { line: 1, column: 1, ...at, file },
        message: `Variable ${name} is ${
          value === undefined ? "not set" : "empty"
        }`,
      });
      return whole;
    });
  const replaceScalar = (node: ScalarNode): ConfigNode => {
    if (!node.text.includes("$")) return node;
    const text = replace(node.text, node.at);
    // A bare value may become a list or a mapping.
    const isCollection = node.plain && /^\s*[[{]|\n|: /.test(text);
    const [document] = isCollection ? readDocuments(text, file).documents : [];
    const isValue = document === undefined || isNull(document.root);
    return isValue ? { ...node, text } : document.root;
  };
  const walk = (node: ConfigNode): ConfigNode => {
    if (node.kind === "scalar") return replaceScalar(node);
    const walked = withValues(node, walk);
    if (walked.kind === "list") return walked;
    const entries = walked.entries.map((entry) => ({
      ...entry,
      key: replace(entry.key, entry.at),
    }));
    return { ...walked, entries };
  };
  return walk(root);
}
