/** Reads the nodes of a running cluster, and writes directories made from them. */

import { findText } from "../../config/documents/find_value.ts";
import { loadDocuments, mainKind } from "../../config/documents/load.ts";
import { takenAmong, writeFilesAtomic } from "../../lib/files/file_set.ts";
import { ConfigError, OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { allMembers, knownMembers } from "../../transport/node/members.ts";
import type { LiveNode } from "../../workflows/site/describe_cluster.ts";
import type { MadeSite } from "../../workflows/site/make_site.ts";
import type { Context } from "../_kit/mod.ts";

/**
 * Reads the configurations of all members of the cluster of the selected node, or of the selected nodes if there are
 * several. Throws `NodesError` if one does not answer.
 */
export async function readLiveNodes(
  { nodes, reopen, globals: { nodeTimeout: nodeTimeoutMs } }: Pick<
    Context<unknown>,
    "nodes" | "reopen" | "globals"
  >,
): Promise<readonly LiveNode[]> {
  const given = await nodes.names();
  const [first = ""] = given;
  const members = await knownMembers(await nodes.at(first), nodeTimeoutMs);
  const isOne = given.length === 1;
  if (isOne) allMembers(members, "Name all nodes of the cluster with --nodes");
  const names = isOne ? members.map(({ address }) => address) : given;
  const opened = isOne
    ? reopen({ nodes: names, alsoAt: [], nodeTimeoutMs })
    : nodes;
  try {
    const found: LiveNode[] = [];
    for await (const { node, value } of opened.call(readNode)) {
      const member = members.find(({ address, hostname }) =>
        address === node || hostname === node
      );
      const host = member?.hostname ?? findHostname(value.text) ?? node;
      const address = member?.address ?? node;
      found.push({ ...value, address, host });
    }
    return found.sort((a, b) =>
      names.indexOf(a.address) - names.indexOf(b.address)
    );
  } finally {
    if (isOne) opened.close();
  }
}

async function readNode(client: NodeClient) {
  const text = await readMachineConfiguration(client);
  const { version } = single((await client.machine.version({})).messages);
  if (text.trim() === "") {
    throw new OsctlError("the node shows no configuration", {
      hint: "This needs the role os:admin",
    });
  }
  return { text, version: version?.tag ?? "" };
}

function findHostname(text: string): string | undefined {
  return findText(
    loadDocuments(text, "the configuration").documents,
    [mainKind, "machine", "network", "hostname"],
    ["HostnameConfig", "hostname"],
  );
}

/** Throws `ConfigError` if one of the paths exists. */
export async function requireFree(paths: readonly string[]): Promise<void> {
  const [taken] = await takenAmong(paths);
  if (taken === undefined) return;
  throw new ConfigError(`Cannot create a site: "${taken}" exists`, {
    hint: "Choose another directory",
  });
}

/** A written file. */
export interface InitRow {
  readonly path: string;
}

/** Writes a made directory, and reports what it does not render to. Returns the written files. */
export async function writeSite(
  folder: string,
  { files, secretPatches, compare }: MadeSite,
  note: (text: string) => void,
): Promise<readonly InitRow[]> {
  await requireFree([
    ...["topf.yaml", "all", "control-plane", "worker", "group", "node"]
      .map((name) => `${folder}/${name}`),
    ...files.map(({ path }) => path),
  ]);
  await writeFilesAtomic(files);
  for (const path of secretPatches) {
    note(`warning: "${path}" has secrets: it is ignored by git`);
  }
  try {
    const differences = await compare();
    for (const { host, changes } of differences) {
      for (const { identity, change, diff } of changes) {
        note(`${host}: ${identity} ${change}\n${diff}`.trimEnd());
      }
    }
    note(
      differences.length === 0
        ? "The site renders to exactly these configurations"
        : `The site renders differently for ${
          differences.map(({ host }) => host).join(", ")
        }`,
    );
  } catch (error) {
    // Files may be encrypted for others.
    if (!(error instanceof ConfigError)) throw error;
    note(`Not rendered: ${error.message}`);
  }
  return files.map(({ path }) => ({ path }));
}
