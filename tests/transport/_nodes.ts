/** Real nodes behind real endpoints, and what they answer. */

import { NodesError } from "../../errors.ts";
import {
  type NodesOptions,
  openNodes,
} from "../../transport/node/open_nodes.ts";
import { clientIdentity, newCa, serverPair } from "./_certificates.ts";
import {
  dataReply,
  readPath,
  type Routes,
  startServer,
  type TestServer,
  versionPath,
  versionReply,
} from "./_server.ts";

/** CA of the cluster. */
export const cluster = await newCa();
const identity = await clientIdentity(cluster);
export const pair = await serverPair(cluster);

/** Nodes that answer their name, and a file of two chunks. */
export const routes: Routes = {
  async *[versionPath]({ metadata }) {
    yield await Promise.resolve(versionReply(metadata["node"] ?? "none"));
  },
  async *[readPath]() {
    yield await Promise.resolve(dataReply(new Uint8Array([1])));
    yield dataReply(new Uint8Array([2]));
  },
};

/** Starts an endpoint of the cluster. */
export function endpoint(own: Routes = routes): Promise<TestServer> {
  return startServer({ pair, clients: cluster, routes: own });
}

/** Opens nodes and keeps what the user would be shown. */
export function open(options: Partial<NodesOptions>) {
  const notes: string[] = [];
  const nodes = openNodes({
    endpoints: [],
    nodes: [],
    identity,
    nodeTimeoutMs: 5_000,
    env: () => undefined,
    signal: new AbortController().signal,
    note: (text) => notes.push(text),
    ...options,
  });
  return { ...nodes, notes, [Symbol.dispose]: nodes.close };
}

/** Version tags by node, and the failures. */
export async function versions(
  { call }: Pick<ReturnType<typeof open>, "call">,
) {
  const seen: Record<string, string | undefined> = {};
  let failures: ReadonlyMap<string, unknown> = new Map();
  try {
    for await (
      const { node, value } of call((one) => one.machine.version({}))
    ) {
      seen[node] = value.messages[0]?.version?.tag;
    }
  } catch (error) {
    if (!(error instanceof NodesError)) throw error;
    failures = error.failures;
  }
  return { seen, failures };
}

/** Accepts connections and says nothing, as a host behind a firewall that drops packets looks. */
export function blackhole() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted: Deno.Conn[] = [];
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  let left = 0;
  async function read(connection: Deno.Conn): Promise<void> {
    const chunk = new Uint8Array(1024);
    while (await connection.read(chunk) !== null);
    left++;
  }
  const done = (async () => {
    const readers: Promise<void>[] = [];
    for await (const connection of listener) {
      accepted.push(connection);
      readers.push(read(connection));
      reach();
    }
    // Those who are still there are not waited for.
    await Promise.allSettled(readers);
  })();
  return {
    endpoint: `127.0.0.1:${listener.addr.port}`,
    /** Resolves when a client has connected. */
    reached,
    left: () => left,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of accepted) connection.close();
      await done;
    },
  };
}
