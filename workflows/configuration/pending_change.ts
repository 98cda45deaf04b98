/** Reads the configurations of a node over dedicated connections. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import type { DesiredState, DialledNode } from "./desired_state.ts";
import {
  type ConfigurationId,
  readMachineConfiguration,
} from "../../transport/node/machine_configuration.ts";

/** Configuration hashes of a node. */
export interface ConfigurationState {
  /** Running configuration; null if none. */
  readonly active: string | null;
  /** Configuration of the next boot; null if the node does not report it. */
  readonly saved: string | null;
}

interface LookedAtNode extends DialledNode {
  readonly state: ConfigurationState;
}

/** Reads the configuration hashes of a node. Throws `RpcError` if it does not answer. */
export async function readConfigurations(
  client: NodeClient,
): Promise<ConfigurationState> {
  const [active, saved] = await Promise.all([
    readHash(client, "v1alpha1"),
    readHash(client, "persistent"),
  ]);
  return { active, saved };
}

async function readHash(
  client: NodeClient,
  id: ConfigurationId,
): Promise<string | null> {
  try {
    const text = await readMachineConfiguration(client, id);
    return await configurationHash(loadDocuments(text, client.node).documents);
  } catch (error) {
    if (error instanceof RpcError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/**
 * Connects to a node at any of its addresses; the first with the configuration is used.
 *
 * @returns The caller closes it.
 * @throws {OsctlError} If it answers at none.
 */
export async function readConnected(
  node: string,
  aim: DesiredState,
): Promise<LookedAtNode> {
  const { places, moves, wanted, dial } = aim;
  const all = moves && places.length > 0 ? places : [undefined, ...places];
  const looks = all.map((place) => lookAt(() => dial(node, place)));
  try {
    const found = await Promise.any(looks.map(async (look) => {
      const seen = await look;
      if (seen.state.active !== wanted) throw new OsctlError("another one");
      return seen;
    }));
    closeOthers(looks, found);
    return found;
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
  }
  const found = await Promise.any(looks).catch(() => looks[0]);
  if (found === undefined) {
    throw new OsctlError(`No address is known for ${node}`);
  }
  closeOthers(looks, found);
  return found;
}

async function lookAt(dial: () => Promise<DialledNode>): Promise<LookedAtNode> {
  const dialled = await dial();
  try {
    return { ...dialled, state: await readConfigurations(dialled.client) };
  } catch (error) {
    dialled.close();
    throw error;
  }
}

function closeOthers(
  looks: readonly Promise<LookedAtNode>[],
  kept: LookedAtNode,
): void {
  for (const look of looks) {
    look.then((one) => one !== kept && one.close(), () => {});
  }
}
