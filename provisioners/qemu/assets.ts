/** Downloads of boot media: cached, resumable and verified. */

import { createHash } from "node:crypto";
import {
  continueFile,
  createFile,
  removeIfThere,
  writeFileAtomic,
} from "../../lib/files/atomic_file.ts";
import { withFileLock } from "../../lib/files/file_lock.ts";
import { OsctlError } from "../../errors.ts";
import { readJson } from "../state.ts";

interface FetchOptions {
  readonly cache: string;
  /** Value of the header of that name; default none. */
  readonly authorization?: string | undefined;
  /** Aborts the download; the partial file is kept. */
  readonly signal: AbortSignal;
  /** Reports progress in bytes; `total` is undefined if unknown. */
  readonly report?: (done: number, total: number | undefined) => void;
}

interface Kept {
  /** Size in bytes. */
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly sha256: string;
}

/** Metadata of a partial download. */
interface Begun {
  /** ETag or Last-Modified; a download is resumed only if it is the same. */
  readonly version: string;
}

/**
 * Returns an asset: a path as it is; a URL is downloaded unless cached.
 *
 * @returns Path of the file.
 * @throws {OsctlError} If it cannot be downloaded, or verification fails.
 */
export async function fetchAsset(
  location: string,
  options: FetchOptions,
): Promise<string> {
  if (!isUrl(location)) return location;
  await Deno.mkdir(options.cache, { recursive: true, mode: 0o700 });
  const path = assetPath(location, options.cache);
  // Waits for another process to complete the same download.
  const patience = { waitMs: Infinity, signal: options.signal };
  return await withFileLock(
    path,
    () => keep(location, path, options),
    patience,
  );
}

async function keep(
  location: string,
  path: string,
  options: FetchOptions,
): Promise<string> {
  const kept = await readJson<Kept>(`${path}.json`);
  if (kept !== undefined && await digest(path) === kept.sha256) return path;
  const expected = await publishedDigest(location, options);
  await download(location, `${path}.part`, options);
  const sha256 = await digest(`${path}.part`);
  if (sha256 === undefined || expected !== undefined && sha256 !== expected) {
    await Deno.remove(`${path}.part`);
    throw new OsctlError(
      `Cannot use ${location}: its SHA-256 is ${sha256}, the server publishes ${expected}`,
      {
        hint:
          "Try again; if the problem persists, the server or a proxy alters the file",
      },
    );
  }
  await Deno.rename(`${path}.part`, path);
  const { size } = await Deno.stat(path);
  await writeFileAtomic(`${path}.json`, JSON.stringify({ size, sha256 }));
  return path;
}

/** Returns the path of an asset, downloaded or not. */
export function assetPath(location: string, cache: string): string {
  return isUrl(location)
    ? `${cache}/${location.replace(/[/:]+/g, "-")}`
    : location;
}

function isUrl(location: string): boolean {
  return /^https?:\/\//.test(location);
}

/** Reads the digest published next to a file, in the format of `sha256sum`. */
async function publishedDigest(
  url: string,
  { signal, ...login }: FetchOptions,
): Promise<string | undefined> {
  const headers = toHeaders(login);
  const response = await request(`${url}.sha256`, { signal, headers });
  const text = response.ok ? await response.text() : "";
  if (!response.ok) await response.body?.cancel();
  return /^([0-9a-f]{64})\b/i.exec(text.trim())?.[1]?.toLowerCase();
}

async function download(
  url: string,
  path: string,
  options: FetchOptions,
): Promise<void> {
  const { signal, report } = options;
  const have = (await Deno.stat(path).catch(() => undefined))?.size ?? 0;
  const begun = await readJson<Begun>(`${path}.json`).catch(() => undefined);
  const resumes = have > 0 && begun !== undefined && begun.version !== "";
  const response = await request(url, {
    signal,
    headers: {
      ...toHeaders(options),
      ...resumes ? { range: `bytes=${have}-`, "if-range": begun.version } : {},
    },
  });
  // Nothing left to download: the process was killed after the last byte, or the file became shorter.
  if (resumes && response.status === 416) {
    await response.body?.cancel();
    await Deno.remove(path);
    return await download(url, path, options);
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new OsctlError(
      `Cannot download ${url}: the server answered ${response.status} ${response.statusText}`,
    );
  }
  const isRest = response.status === 206;
  const start = isRest ? have : 0;
  const length = Number(response.headers.get("content-length") ?? NaN);
  const total = Number.isNaN(length) ? undefined : start + length;
  const version = response.headers.get("etag") ??
    response.headers.get("last-modified") ?? "";
  if (!isRest) {
    await writeFileAtomic(`${path}.json`, JSON.stringify({ version }));
  }
  if (!isRest) await removeIfThere(path);
  using file = isRest ? await continueFile(path) : await createFile(path);
  let done = start;
  try {
    for await (const chunk of response.body) {
      for (let sent = 0; sent < chunk.length;) {
        sent += await file.write(chunk.subarray(sent));
      }
      done += chunk.length;
      report?.(done, total);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw interruptedError(url, error);
  }
  if (total !== undefined && done !== total) throw interruptedError(url);
  await Deno.remove(`${path}.json`);
}

function toHeaders(
  { authorization }: Pick<FetchOptions, "authorization">,
): Record<string, string> {
  return authorization === undefined ? {} : { authorization };
}

function interruptedError(url: string, cause?: unknown): OsctlError {
  return new OsctlError(`Cannot download ${url}: the connection ended early`, {
    hint: "Run the command again to resume the download",
    cause,
  });
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    throw new OsctlError(
      `Cannot download ${url}: the server cannot be reached`,
      { cause: error },
    );
  }
}

async function digest(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    using file = await Deno.open(path);
    for await (const chunk of file.readable) hash.update(chunk);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  return hash.digest("hex");
}
