/** What is kept of a cluster that is destroyed: the consoles of its nodes, and a support bundle. */

import { Buffer } from "node:buffer";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { writeFileAtomic } from "../../config/files/atomic_file.ts";
import type {
  ClusterLocation,
  ClusterStatus,
  Provisioner,
} from "../../provisioners/mod.ts";
import { openNodes } from "../../transport/node/open_nodes.ts";
import { collectSupport } from "../../workflows/support/collect_support.ts";
import type { Context } from "../_kit/mod.ts";
import { contextOptions } from "../_kit/session.ts";

/** Writes the consoles of all nodes: `<node>.log` in a compressed tar archive. */
export async function saveConsoles(
  path: string,
  place: ClusterLocation,
  { provisioner, status, signal }: {
    readonly provisioner: Provisioner;
    readonly status: ClusterStatus;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const archive = pack();
  for (const node of status.cluster.clusterinfo.nodes) {
    const parts: Uint8Array[] = [];
    for await (const part of provisioner.logs(place, node, signal)) {
      parts.push(part);
    }
    const name = `${node.name.replace(/^\//, "")}.log`;
    archive.entry({ name, mode: 0o600 }, Buffer.concat(parts));
  }
  archive.finalize();
  const bytes = Buffer.concat(await Array.fromAsync<Uint8Array>(archive));
  await writeFileAtomic(path, new Uint8Array(await promisify(gzip)(bytes)));
}

/** Writes a support bundle of all nodes, asked with the context of the cluster's name. */
export async function saveSupport(
  path: string,
  name: string,
  { status, context }: {
    readonly status: ClusterStatus;
    readonly context: Context<unknown>;
  },
): Promise<void> {
  const { environment, signal, note } = context;
  const globals = { ...context.globals, context: name };
  const addresses = status.cluster.clusterinfo.nodes.flatMap(({ ips }) =>
    ips.slice(0, 1)
  );
  const options = await contextOptions({ globals, environment, signal, note });
  const nodes = openNodes({ ...options, nodes: addresses });
  try {
    await collectSupport({
      nodes: addresses,
      at: (node) => nodes.at(node),
      others: [],
      path,
      now: environment.now(),
      workers: 4,
      signal,
      reading() {},
      about: { cluster: name },
    });
  } finally {
    nodes.close();
  }
}
