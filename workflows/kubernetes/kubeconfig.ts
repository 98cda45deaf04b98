/** The kubeconfig of an administrator, from a control plane. */

import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/client.ts";
import { payload } from "../../transport/payload.ts";
import { archiveEntries } from "../archive/entries.ts";

/** Longest time until all of it is there, in milliseconds. */
const deadlineMs = 30_000;

/** Largest kubeconfig, in bytes. */
const limit = 1024 * 1024;

/**
 * Reads the kubeconfig a control plane makes for administrators.
 *
 * @param client Client of a control plane. Source: `MachineService.Kubeconfig`.
 * @returns YAML.
 * @throws {OsctlError} If what the node sends holds none.
 */
export async function readKubeconfig(
  { node, machine }: Pick<NodeClient, "node" | "machine">,
): Promise<string> {
  const archive = payload(machine.kubeconfig({}, { deadlineMs }));
  // Nodes leave out the mark at the end of the archive, so it is not read to its end.
  for await (const { kind, body } of archiveEntries(archive)) {
    if (kind === "file") return await textOf(body, node);
  }
  throw new OsctlError(`Cannot read the kubeconfig of ${node}: it sent none`);
}

async function textOf(
  body: AsyncIterable<Uint8Array>,
  node: string,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > limit) {
      throw new OsctlError(`Cannot read the kubeconfig of ${node}: too large`);
    }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
