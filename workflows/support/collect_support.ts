/** Collects a support bundle: what can be read goes into the archive as it comes, what cannot be into its manifest. */

import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import { maskedText } from "./masked_text.ts";
import { nodeItems } from "./node_items.ts";
import {
  type ItemList,
  jsonText,
  type MissingItem,
  type SupportItem,
  textContent,
} from "./support_item.ts";
import { openArchive } from "./zip_archive.ts";

/** Where a bundle is collected. */
export interface SupportOptions {
  /** Names of the nodes. */
  readonly nodes: readonly string[];
  /** Opens a node. */
  readonly at: (node: string) => Promise<NodeClient>;
  /** Other lists of items, of the cluster and of this machine. */
  readonly others: readonly ItemList[];
  /** Path of the archive. */
  readonly path: string;
  /** The present moment. */
  readonly now: Date;
  /** Files read at the same time. */
  readonly workers: number;
  /** Ends collecting; what is in the archive stays. */
  readonly signal: AbortSignal;
  /** Told what is read: a path, its number within its source and how many there are. */
  readonly reading: (item: SupportItem, at: number, of: number) => void;
  /** What the manifest says besides. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** What became of a bundle. */
export interface SupportResult {
  /** Paths and sizes in bytes, sorted. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** What is missing. */
  readonly missing: readonly MissingItem[];
}

/** Longest time for the first answer, in milliseconds: a node that is down is not asked the rest. */
const firstMs = 5_000;

/**
 * Collects everything, whatever is missing.
 *
 * @throws {ConfigError} If the archive cannot be written.
 */
export async function collectSupport(
  options: SupportOptions,
): Promise<SupportResult> {
  const { signal, about } = options;
  using archive = await openArchive(options.path, options.now);
  const files: { path: string; size: number }[] = [];
  const missing: MissingItem[] = [];
  const gone = new Set<string>();
  const queue = itemsOf(options, missing, gone);
  // A generator serves one at a time.
  const worker = async () => {
    for await (const { item, at, of } of queue) {
      if (signal.aborted) break;
      if (gone.has(item.source)) {
        missing.push({ ...placeOf(item), reason: "the node is unreachable" });
        continue;
      }
      options.reading(item, at, of);
      const { size, failure } = await archive.add(
        item.path,
        maskedText(item.read()),
      );
      if (size > 0) files.push({ path: item.path, size });
      if (failure === undefined) continue;
      missing.push({
        ...placeOf(item),
        reason: `${size > 0 ? "incomplete: " : ""}${reasonOf(failure)}`,
      });
      if (isAway(failure)) gone.add(item.source);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, worker));
  files.sort((a, b) => a.path < b.path ? -1 : 1);
  missing.sort((a, b) => a.path < b.path ? -1 : 1);
  const manifest = {
    ...about,
    interrupted: signal.aborted,
    secrets: "redacted",
    files,
    missing,
  };
  await archive.add(
    "manifest.json",
    maskedText(textContent(jsonText(manifest))),
  );
  await archive.end();
  return { files, missing };
}

function placeOf({ source, path }: SupportItem) {
  return { source, path };
}

/** Items of all lists, those of a node one after the other. */
async function* itemsOf(
  { nodes, at, others, signal }: SupportOptions,
  missing: MissingItem[],
  gone: Set<string>,
) {
  const failed = (source: string, path: string, error: unknown) => {
    missing.push({ source, path, reason: reasonOf(error) });
    if (source !== "cluster" && isAway(error)) gone.add(source);
  };
  async function* listed(source: string, lists: readonly ItemList[]) {
    const all: SupportItem[] = [];
    for (const { name, items } of lists) {
      if (signal.aborted || gone.has(source)) break;
      try {
        all.push(...await items());
      } catch (error) {
        failed(source, name, error);
      }
    }
    for (const [index, item] of all.entries()) {
      yield { item, at: index + 1, of: all.length };
    }
  }
  yield* listed("cluster", others);
  for (const node of nodes) {
    if (signal.aborted) return;
    let client: NodeClient;
    try {
      client = await at(node);
      await client.machine.version({}, { deadlineMs: firstMs });
    } catch (error) {
      failed(node, "everything", error);
      continue;
    }
    yield* listed(node, nodeItems(client));
  }
}

function isAway(error: unknown): boolean {
  return error instanceof OsctlError && failureKind(error) === "away";
}

/** Mistakes of the program are raised. */
function reasonOf(error: unknown): string {
  if (error instanceof OsctlError) return error.message;
  throw error;
}
