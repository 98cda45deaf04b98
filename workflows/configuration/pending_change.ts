/** Looking at the configurations of a node over connections of their own. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import type { DesiredState, DialledNode } from "./desired_state.ts";
import {
  type ConfigurationId,
  readMachineConfiguration,
} from "../../transport/node/machine_configuration.ts";

/** Configurations of a node by their hashes. */
export interface ConfigurationState {
  /** The one it runs with; null when it has none. */
  readonly active: string | null;
  /** The one it will find at its next boot; null when the node does not tell. */
  readonly saved: string | null;
}

interface LookedAtNode extends DialledNode {
  readonly state: ConfigurationState;
}

/** Reads what a node has. Throws `RpcError` when it does not answer. */
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
 * Looks at a node wherever it may be; the first that has the configuration is taken.
 *
 * @returns The caller closes it.
 * @throws {OsctlError} When it answers nowhere.
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
