/** The main document of the configuration a node runs with. */

import { type Cursor, cursorOf } from "../../config/documents/cursor.ts";
import { readLearning } from "../../config/documents/load.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  machineConfigurationOf,
  machineConfigurationType,
} from "../../transport/node/machine_configuration.ts";
import { unlessHidden } from "../../transport/node/read_resource.ts";

/** Longest time for the answer, in milliseconds. */
const deadlineMs = 10_000;

/**
 * Reads the document with the fields `machine` and `cluster`.
 *
 * @returns Its root; `undefined` when the node has none, or does not show it.
 */
export async function readNodeDocument(
  { node, state }: Pick<NodeClient, "node" | "state">,
): Promise<Cursor | undefined> {
  const answer = await unlessHidden(state.get({
    namespace: "config",
    type: machineConfigurationType,
    id: "v1alpha1",
    options: {},
  }, { deadlineMs }));
  const { resource } = answer ?? {};
  const text = resource === undefined ? "" : machineConfigurationOf(resource);
  return readLearning(text, `configuration of ${node}`).map(cursorOf)
    .find((root) => root.get("kind").text() === undefined);
}
