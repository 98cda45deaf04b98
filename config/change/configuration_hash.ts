/** Hash that identifies the content of a configuration. */

import { sha256Hex } from "../../lib/sha256.ts";
import { canonical } from "../documents/encode.ts";
import { type ConfigDocument, formatIdentity } from "../documents/load.ts";
import type { ConfigNode } from "../tree/node.ts";
import { resolvePlain } from "../tree/resolve.ts";

/**
 * Hashes the content of a configuration, regardless of comments, the order of keys and documents, and the spelling
 * of values. Safe to store: a configuration with its keys cannot be guessed. Returns SHA-256, 64 hexadecimal digits.
 */
export async function configurationHash(
  documents: readonly ConfigDocument[],
): Promise<string> {
  const parts = documents.map((document) =>
    `${formatIdentity(document)}\n${meaning(canonical(document))}\n`
  );
  return await sha256Hex(parts.toSorted().join(""));
}

function meaning(node: ConfigNode): string {
  switch (node.kind) {
    case "scalar": {
      const { text, type } = node.plain
        ? resolvePlain(node.text)
        : { text: node.text, type: "text" };
      return `${type} ${JSON.stringify(text)}`;
    }
    case "list":
      return `[${node.items.map(({ value }) => meaning(value)).join(",")}]`;
    case "map": {
      const entries = node.entries.map(({ key, value }) =>
        `${JSON.stringify(key)}:${meaning(value)}`
      );
      return `{${entries.toSorted().join(",")}}`;
    }
  }
}
