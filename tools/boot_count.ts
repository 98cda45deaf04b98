/** How often nodes boot, by what they say themselves: the id that the kernel makes anew at every boot. */

import { clientIdentity } from "../config/osconfig/client_identity.ts";
import { readOsconfig } from "../config/osconfig/osconfig_file.ts";
import { selectContext } from "../config/osconfig/select_context.ts";
import { emptyOsconfig } from "../config/osconfig/osconfig.ts";
import { decodePrivateKey, encodePkcs8 } from "../pki/private_key.ts";
import { throughEndpoints } from "../transport/connect/node_route.ts";
import { type ReadBootId, readBootId } from "../transport/stream/boot_id.ts";
import { layOut } from "../terminal/table.ts";

/** Time between two questions to a node; each of its boots takes much longer. */
const pauseMs = 100;

/** A node that does not answer in this time is asked again. */
const answerMs = 1_000;

interface BootCount {
  readonly node: string;
  /** Version it runs, with `v`. */
  readonly version: string;
  /** Ids of its boots, in order, that of the boot it was found in first. */
  readonly ids: readonly string[];
}

/** Asks a node for the id of its boot, and notes it if it differs from the last. */
export async function noteBoot(
  read: ReadBootId,
  ids: string[],
  signal: AbortSignal,
): Promise<void> {
  // A node that boots does not answer.
  const id = await read(
    AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  ).catch(() => undefined);
  if (id !== undefined && id !== ids.at(-1)) ids.push(id);
}

interface BootWatch {
  /** Ends the questions; gives what was answered. */
  readonly end: () => Promise<readonly BootCount[]>;
}

/**
 * Watches the boots of nodes, by connections of its own, when each has been asked once.
 *
 * @param osconfig File with the context of the cluster.
 * @param nodes Host names by address.
 */
export async function watchBoots(
  osconfig: string,
  nodes: ReadonlyMap<string, string>,
): Promise<BootWatch> {
  const config = await readOsconfig(osconfig) ?? emptyOsconfig;
  const context = selectContext(config, { file: osconfig });
  const { ca, pair } = clientIdentity(context);
  // The runtime knows no labels of keys but its own.
  const identity = pair === undefined
    ? { ca }
    : { ca, crt: pair.crt, key: encodePkcs8(decodePrivateKey(pair.key)) };
  const route = throughEndpoints(context.endpoints, identity, {
    env: () => undefined,
    note() {},
  });
  const { signal } = new AbortController();
  const watched = [...nodes].map(([address, node]) => {
    const client = route.node(address, { signal });
    return { node, client, read: readBootId(client), ids: [] as string[] };
  });
  const ask = () =>
    Promise.all(watched.map(({ read, ids }) => noteBoot(read, ids, signal)));
  await ask();
  let ended = false;
  const asked = (async () => {
    while (!ended) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await ask();
    }
  })();
  return {
    async end() {
      ended = true;
      try {
        await asked;
        const counts = watched.map(async ({ node, client, ids }) => {
          const { messages } = await client.machine.version({});
          const version = messages[0]?.version?.tag ?? "";
          return { node, version, ids };
        });
        return await Promise.all(counts);
      } finally {
        route.close();
      }
    },
  };
}

/** Draws them as a table; ids by their first part. */
export function drawBoots(counts: readonly BootCount[]): string {
  const rows = counts.map(({ node, version, ids }) => [
    node,
    version,
    `${reboots(ids)}`,
    ids.map((id) => id.slice(0, 8)).join(" → "),
  ]);
  const header = ["NODE", "VERSION", "REBOOTS", "BOOT IDS"];
  return layOut([header, ...rows], { gap: 3 }).text;
}

/**
 * Says what is wrong after an upgrade.
 *
 * @param target Version that every node should run, after one boot.
 * @returns One sentence for each node that is not as it should be.
 */
export function wrongBoots(
  counts: readonly BootCount[],
  target: string,
): readonly string[] {
  return counts.flatMap(({ node, version, ids }) => [
    ...version === target ? [] : [`${node} runs ${version}, not ${target}`],
    ...reboots(ids) === 1 ? [] : [`${node} rebooted ${reboots(ids)} times`],
  ]);
}

function reboots(ids: readonly string[]): number {
  return Math.max(0, ids.length - 1);
}
