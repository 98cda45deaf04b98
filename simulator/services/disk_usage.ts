/** Sizes of files over the wire: `DiskUsage`. */

import { RpcError } from "../../errors.ts";
import type {
  DeepPartial,
  DiskUsageInfo,
  DiskUsageRequest,
} from "../../transport/gen/machine.ts";
import { sizeIn } from "../files/entry.ts";
import { find, walk, type Walked } from "../files/walk.ts";
import type { Call } from "../wire/handlers.ts";
import type { SimulatedNode } from "../node/node.ts";

/** `DiskUsage`; like a node, it answers for the first path only. */
export async function* diskUsage(
  request: DiskUsageRequest,
  { node }: Call,
): AsyncGenerator<DeepPartial<DiskUsageInfo>> {
  const [first] = request.paths;
  if (first === undefined) return;
  const path =
    (first.startsWith("/") ? first : `/${first}`).replace(/\/$/, "") || "/";
  try {
    const start = find(node, path, { follow: true, operation: "lstat" });
    for (const usage of sizesOf(node, walk(node, start, -1))) {
      if (isWanted(usage, request)) yield usage;
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    yield { name: path, relativeName: path, error: error.message };
  }
}

interface Usage {
  readonly name: string;
  readonly relativeName: string;
  size: bigint;
  readonly depth: number;
  readonly isDirectory: boolean;
}

/** Every file, and every directory with what is in it, which it comes after. */
function* sizesOf(
  node: SimulatedNode,
  walked: Iterable<Walked>,
): Generator<Usage> {
  const open: Usage[] = [];
  for (const step of walked) {
    while (open.length > 0 && !isBelow(step, open)) yield close(open);
    open.push(usageOf(node, step));
    if (step.entry.kind !== "directory") yield close(open);
  }
  while (open.length > 0) yield close(open);
}

function isBelow({ path }: Walked, open: readonly Usage[]): boolean {
  const above = open.at(-1)?.name ?? "";
  return path.startsWith(above === "/" ? above : `${above}/`);
}

/** Takes the innermost entry off and adds its size to the directory it is in. */
function close(open: Usage[]): Usage {
  const usage = open.pop()!; // called only while one is open
  const parent = open.at(-1);
  if (parent) parent.size += usage.size;
  return usage;
}

function usageOf(
  node: SimulatedNode,
  { path: name, relative: relativeName, entry }: Walked,
): Usage {
  return {
    name,
    relativeName,
    size: BigInt(sizeIn(node, entry)),
    depth: relativeName === "." ? 0 : relativeName.split("/").length,
    isDirectory: entry.kind === "directory",
  };
}

function isWanted(
  { size, depth, isDirectory }: Usage,
  { recursionDepth, all, threshold }: DiskUsageRequest,
): boolean {
  if (recursionDepth > 0 && depth >= recursionDepth) return false;
  if (!isDirectory && !all) return false;
  if (threshold > 0n && size < threshold) return false;
  return !(threshold < 0n && size > -threshold);
}
