/** Counts boots of nodes by their kernel's boot id. */

import { clientIdentity } from "../config/osconfig/client_identity.ts";
import { readOsconfig } from "../config/osconfig/osconfig_file.ts";
import { selectContext } from "../config/osconfig/select_context.ts";
import { emptyOsconfig } from "../config/osconfig/osconfig.ts";
import { decodePrivateKey, encodePkcs8 } from "../pki/private_key.ts";
import { throughEndpoints } from "../transport/connect/node_route.ts";
import { type ReadBootId, readBootId } from "../transport/stream/boot_id.ts";
import { layOut } from "../terminal/table.ts";

/** Polling interval of a node; each of its boots takes much longer. */
const pauseMs = 100;

/** Timeout of a request before it is retried. */
const answerMs = 1_000;

interface BootCount {
  readonly node: string;
  /** Running version, with `v`. */
  readonly version: string;
  /** Boot ids in order, starting with the first one seen. */
  readonly ids: readonly string[];
}

/** Reads the boot id of a node, and records it if it differs from the last. */
export async function noteBoot(
  read: ReadBootId,
  ids: string[],
  signal: AbortSignal,
): Promise<void> {
  // A booting node does not answer.
  const id = await read(
    AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  ).catch(() => undefined);
  if (id !== undefined && id !== ids.at(-1)) ids.push(id);
}

interface BootWatch {
  /** Stops polling; returns the counts. */
  readonly end: () => Promise<readonly BootCount[]>;
}

/**
 * Watches the boots of nodes over dedicated connections, once each was read.
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
  // The runtime accepts only its own PEM labels for keys.
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

/** Formats the counts as a table; boot ids are shortened. */
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
 * Reports unexpected versions or boot counts after an upgrade.
 *
 * @param target Version that every node should run, after one boot.
 * @returns One sentence for each problem.
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
