/** Comments that modules add to a node's configuration when they change it. */

import { withComments } from "../../config/documents/comments.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readOsVersion } from "../configuration/facts.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import { type ModuleInput, readChoice } from "../runbook_cel/values.ts";

/** Comments to add: none, documentation, examples, or both. */
export type AddedComments = "keep" | "docs" | "examples" | "both";

const choices: readonly [AddedComments, ...AddedComments[]] = [
  "keep",
  "docs",
  "examples",
  "both",
];

/** Input of modules that may add comments. */
export const commentsField: ValueFields = {
  comments: {
    type: "enum",
    values: choices,
    initial: "keep",
    summary:
      "Comments to add to a configuration that changes: keep adds none, docs documents keys without a comment, examples shows keys that are not set",
  },
};

/** Converts the value to options. */
export function toComments(
  { docs, examples }: { readonly docs: boolean; readonly examples: boolean },
): AddedComments {
  if (docs && examples) return "both";
  if (docs) return "docs";
  return examples ? "examples" : "keep";
}

/** Reads the value of the input. */
export function addedComments(input: ModuleInput): AddedComments {
  return readChoice(input, "comments", choices);
}

/** Adds comments to the new configuration of a node; keeps existing ones. */
export async function addComments(
  client: NodeClient,
  text: string,
  added: AddedComments,
): Promise<string> {
  if (added === "keep") return text;
  const version = await readOsVersion(client);
  return withComments(text, {
    docs: added !== "examples",
    // Examples of another version would mislead.
    examples: added !== "docs" && version !== undefined,
    version,
  });
}
