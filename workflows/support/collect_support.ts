/** Collects a support bundle: readable files are streamed into the archive, failures go to its manifest. */

import { formatDuration } from "../../lib/duration.ts";
import { processMasker } from "../../lib/masker.ts";
import { OsctlError, TimeoutError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import { withoutSecrets } from "../../transport/connect/status_text.ts";
import type { Encrypt } from "../../pki/age.ts";
import { nodeItems } from "./node_items.ts";
import {
  type ItemList,
  jsonText,
  type MissingItem,
  type SupportItem,
  textContent,
} from "./support_item.ts";
import { openArchive } from "./zip_archive.ts";

/** Options of a collection. */
export interface SupportOptions {
  readonly nodes: readonly string[];
  readonly at: (node: string) => Promise<NodeClient>;
  /** False for nodes without a configuration; default true. */
  readonly configured?: boolean;
  /** Other lists of items, of the cluster and of this machine. */
  readonly others: readonly ItemList[];
  readonly path: string;
  /** Encrypts the archive; absent for none. */
  readonly encrypt?: Encrypt | undefined;
  readonly now: Date;
  /** Number of files read in parallel. */
  readonly workers: number;
  /** Stops collecting; collected files stay. */
  readonly signal: AbortSignal;
  /** Called for each file: path, its number within its source and the total. */
  readonly reading: (item: SupportItem, at: number, of: number) => void;
  /** Timeout for each file, in milliseconds; default about 5 minutes. */
  readonly itemMs?: number;
  /** Additional fields of the manifest. */
  readonly about: Readonly<Record<string, unknown>>;
}

interface SupportResult {
  /** Paths and sizes in bytes, sorted. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly missing: readonly MissingItem[];
}

/** Timeout for the first request, in milliseconds: a node that is down is not queried further. */
const firstMs = 5_000;

/** Timeout for each file, in milliseconds: longer than that of any call. */
const longestMs = 330_000;

/**
 * Collects everything; missing items do not abort it.
 *
 * @throws {ConfigError} If the archive cannot be written.
 */
export async function collectSupport(
  options: SupportOptions,
): Promise<SupportResult> {
  const { signal, about, itemMs = longestMs } = options;
  const { path, now, encrypt } = options;
  await using archive = await openArchive(path, now, undefined, encrypt);
  const files: { path: string; size: number }[] = [];
  const missing: MissingItem[] = [];
  const gone = new Set<string>();
  const queue = listItems(options, missing, gone);
  // A generator serves one consumer at a time.
  const worker = async () => {
    for await (const { item, at, of } of queue) {
      if (signal.aborted) break;
      if (gone.has(item.source)) {
        missing.push({
          ...locateItem(item),
          reason: "the node is unreachable",
        });
        continue;
      }
      options.reading(item, at, of);
      const { size, failure } = await archive.add(
        item.path,
        maskedText(within(item.read(), itemMs, signal)),
      );
      if (size > 0) files.push({ path: item.path, size });
      if (failure === undefined) continue;
      missing.push({
        ...locateItem(item),
        reason: `${size > 0 ? "incomplete: " : ""}${formatReason(failure)}`,
      });
      if (isAway(failure) && !await answers(options, item.source)) {
        gone.add(item.source);
      }
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
    true,
  );
  await archive.end();
  return { files, missing };
}

/** Checks that a node still answers: one slow log is no reason to skip the rest. */
async function answers(
  { at, signal }: SupportOptions,
  source: string,
): Promise<boolean> {
  if (source === "cluster" || signal.aborted) return true;
  try {
    await (await at(source)).machine.version({}, { deadlineMs: firstMs });
    return true;
  } catch (error) {
    if (error instanceof OsctlError) return false;
    throw error;
  }
}

/** Content with a timeout; time without a pending read does not count. */
async function* within(
  content: AsyncIterable<Uint8Array>,
  limitMs: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]();
  let left = limitMs;
  const next = async () => {
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const text = `not complete after ${formatDuration(limitMs)}`;
    const timer = setTimeout(() => reject(new TimeoutError(text)), left);
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    const from = performance.now();
    try {
      return await Promise.race([chunks.next(), ended]);
    } finally {
      left -= performance.now() - from;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  };
  try {
    for (let one = await next(); !one.done; one = await next()) {
      yield one.value;
    }
  } finally {
    // Not awaited: it may never return.
    chunks.return?.().catch(() => {});
  }
}

function locateItem({ source, path }: SupportItem) {
  return { source, path };
}

/** Items of all lists, grouped by node. */
async function* listItems(
  options: SupportOptions,
  missing: MissingItem[],
  gone: Set<string>,
) {
  const { nodes, at, others, signal } = options;
  const failed = (source: string, path: string, error: unknown) => {
    missing.push({ source, path, reason: formatReason(error) });
  };
  async function* collectItems(source: string, lists: readonly ItemList[]) {
    const all: SupportItem[] = [];
    for (const { name, items } of lists) {
      if (signal.aborted || gone.has(source)) break;
      try {
        all.push(...await items());
      } catch (error) {
        failed(source, name, error);
        if (isAway(error) && !await answers(options, source)) gone.add(source);
      }
    }
    for (const [index, item] of all.entries()) {
      yield { item, at: index + 1, of: all.length };
    }
  }
  yield* collectItems("cluster", others);
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
    yield* collectItems(node, nodeItems(client, options.configured));
  }
}

function isAway(error: unknown): boolean {
  return error instanceof OsctlError && failureKind(error) === "away";
}

function formatReason(error: unknown): string {
  if (error instanceof OsctlError) return error.message;
  throw error;
}

/** Maximum length of a line to wait for, in characters. */
const longestLine = 1024 ** 2;

/** Masks secrets, and values of keys named like one; `content` is UTF-8 in chunks of any size. */
async function* maskedText(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const masked = (text: string) =>
    new TextEncoder().encode(processMasker.mask(withoutSecrets(text)));
  let rest = "";
  let failure: { readonly cause: unknown } | undefined;
  const chunks = inPieces(content);
  for (;;) {
    const next = await chunks.next().catch((cause) => {
      failure = { cause };
    });
    if (next === undefined || next.done) break;
    rest += decoder.decode(next.value, { stream: true });
    // A secret may span chunks, but not lines.
    const end = rest.lastIndexOf("\n") + 1;
    if (end === 0 && rest.length < longestLine) continue;
    const text = end === 0 ? rest : rest.slice(0, end);
    rest = rest.slice(text.length);
    yield masked(text);
  }
  // Keeps what arrived before a failure.
  const last = rest + decoder.decode();
  if (last !== "") yield masked(last);
  if (failure !== undefined) throw failure.cause;
}

/** Maximum size of a masked piece, in bytes: short strings are freed sooner. */
const pieceBytes = 32 * 1024;

async function* inPieces(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes);
    }
  }
}
