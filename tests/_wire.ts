/** Command lines in this process against simulated nodes, over real sockets and certificates. */

import { openSession } from "../commands/_kit/session.ts";
import { lazyNodes } from "../transport/node/nodes.ts";
import { renderOsconfig } from "../config/osconfig/osconfig_file.ts";
import type {
  ClusterOptions,
  RunningCluster,
} from "../simulator/cluster/cluster.ts";
import { withCluster } from "./_cluster.ts";
import { type Ran, run, type RunOptions } from "./_run.ts";
import { withoutWaits } from "./_wait_notices.ts";

/** A cluster and a client for it. */
export interface Wire {
  readonly cluster: RunningCluster;
  /** Addresses of its nodes, control planes first. */
  readonly names: readonly string[];
  /** Path of the client configuration. */
  readonly osconfig: string;
  /** Runs a command line; one that hangs fails the test. */
  readonly osctl: (
    line: string | readonly string[],
    options?: RunOptions,
  ) => Promise<Ran>;
}

/**
 * Runs a test with a cluster and its client configuration.
 *
 * @param options The cluster; all its nodes are selected by default.
 * @param test What to do while it runs.
 */
export async function withWire(
  options: ClusterOptions,
  test: (wire: Wire) => Promise<void>,
): Promise<void> {
  await withCluster(options, async (cluster) => {
    const folder = await Deno.makeTempDir();
    try {
      const osconfig = `${folder}/osconfig`;
      const names = cluster.nodes.map(({ identity }) => identity.address);
      await Deno.writeTextFile(osconfig, await writeOsconfig(cluster, names));
      const osctl = (line: string | readonly string[], more: RunOptions = {}) =>
        inTime(line, more.signal, async (signal) => {
          const ran = await run(line, {}, {
            now: () => new Date(),
            open: (request) => lazyNodes(() => openSession(request)),
            ...more,
            env: { OSCONFIG: osconfig, OS_HOME: folder, ...more.env },
            signal,
          });
          return { ...ran, err: withoutWaits(ran.err) };
        });
      await test({ cluster, names, osconfig, osctl });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/**
 * Longest time for a command line, in milliseconds; on a quiet machine the longest take a tenth of it. One that waits
 * for nothing but its own limit, or until the keep-alive gives a silent connection up, takes longer.
 */
const longestMs = 90_000;

/** Ends a test whose command line hangs. */
async function inTime(
  line: string | readonly string[],
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Ran>,
): Promise<Ran> {
  const late = new AbortController();
  const { promise: hung, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.abort();
    reject(new Error(`Not done after ${longestMs / 1_000} s: ${line}`));
  }, longestMs);
  try {
    const signals = signal === undefined ? [] : [signal];
    return await Promise.race([
      work(AbortSignal.any([...signals, late.signal])),
      hung,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

async function writeOsconfig(
  cluster: RunningCluster,
  nodes: readonly string[],
): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const { ca, crt, key } = cluster.adminIdentity;
  const context = {
    endpoints: cluster.endpoints,
    nodes,
    ca: base64(ca),
    crt: base64(crt),
    key: base64(key),
  };
  return await renderOsconfig({
    current: cluster.name,
    contexts: new Map([[cluster.name, context]]),
  });
}
