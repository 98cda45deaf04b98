/** The main document of the configuration a node runs with. */

import { type Cursor, cursorOf } from "../../config/documents/cursor.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { type RpcCode, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  machineConfigurationOf,
  machineConfigurationType,
} from "../../transport/node/machine_configuration.ts";

/** Longest time for the answer, in milliseconds. */
const deadlineMs = 10_000;

/** The node has none, or does not show it to this caller. */
const silences: ReadonlySet<RpcCode> = new Set([
  "NOT_FOUND",
  "PERMISSION_DENIED",
  "UNIMPLEMENTED",
]);

/**
 * Reads the document with the fields `machine` and `cluster`.
 *
 * @returns Its root; `undefined` when the node has none, or does not show it.
 */
export async function readNodeDocument(
  { node, state }: Pick<NodeClient, "node" | "state">,
): Promise<Cursor | undefined> {
  try {
    const { resource } = await state.get({
      namespace: "config",
      type: machineConfigurationType,
      id: "v1alpha1",
      options: {},
    }, { deadlineMs });
    const text = resource === undefined ? "" : machineConfigurationOf(resource);
    const { documents } = readDocuments(text, `configuration of ${node}`);
    return documents.map(({ root }) => cursorOf(root))
      .find((root) => root.get("kind").text() === undefined);
  } catch (error) {
    if (error instanceof RpcError && silences.has(error.code)) return undefined;
    throw error;
  }
}
