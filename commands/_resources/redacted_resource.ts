/** Specs of resources that hold secrets, for a terminal. */

import { markOf } from "../../config/documents/redact.ts";
import { ConfigError } from "../../errors.ts";
import { machineConfigurationType } from "../../transport/node/machine_configuration.ts";
import type { ResourceRow } from "./resource_row.ts";

/**
 * The spec of a resource with only what is known to be harmless: of machine configurations what their description
 * says, of all others keys and truth values.
 */
export async function hiddenSpec(
  { metadata, spec }: Pick<ResourceRow, "metadata" | "spec">,
): Promise<unknown> {
  return metadata.type === machineConfigurationType && typeof spec === "string"
    ? await hiddenConfiguration(spec)
    : withoutValues(spec);
}

async function hiddenConfiguration(text: string): Promise<string> {
  // Loaded on demand: what configurations consist of is much to load.
  const { redactedText } = await import("../../config/diff.ts");
  const { loadDocuments } = await import("../../config/documents/load.ts");
  try {
    return redactedText(loadDocuments(text, "").documents);
  } catch (error) {
    // Nodes have odd ones as well.
    if (error instanceof ConfigError) return markOf(text, "unknown");
    throw error;
  }
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues);
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .map(([key, item]) => [key, withoutValues(item)]);
    return Object.fromEntries(entries);
  }
  const isBare = value === null || value === "" || typeof value === "boolean";
  return isBare ? value : markOf(String(value), "unknown");
}
