/** Consoles of simulated nodes, written to files on request. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { findProcess } from "../background.ts";
import { type ClusterLocation, joinFolder } from "../state.ts";
import { readRequest, request, writeApplied } from "./file_requests.ts";

/** Reads the console of a node; if the nodes do not run, as it was last read. */
export async function* readConsole(
  place: ClusterLocation,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const folder = joinFolder(place);
  if (await findProcess(folder) !== undefined) {
    const change = () => null;
    const subject = "consoles";
    await request(place, { subject, initial: null, change, signal });
  }
  try {
    yield await Deno.readFile(consolePath(folder, name));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Writes the consoles on request. Returns a function to call periodically. */
export function consoleFollower(
  folder: string,
  nodes: readonly SimulatedNode[],
): () => Promise<void> {
  let seen = 0;
  return async () => {
    const { revision } = await readRequest(folder, "consoles", null);
    if (revision === seen) return;
    seen = revision;
    for (const node of nodes) {
      const path = consolePath(folder, node.origin.hostname);
      await writeFileAtomic(path, renderConsole(node));
    }
    await writeApplied(folder, "consoles", { revision, problems: [] });
  };
}

function consolePath(folder: string, name: string): string {
  return `${folder}/${name}.log`;
}

function renderConsole(
  { boot: { kernelLog, startedAt } }: SimulatedNode,
): string {
  let text = "";
  for (let at = kernelLog.first(); at < kernelLog.end(); at++) {
    const message = kernelLog.at(at);
    const seconds = (message.time - startedAt) / 1000;
    text += `[${seconds.toFixed(6).padStart(12)}] ${message.text}\n`;
  }
  return text;
}
