/** A cache of images in a directory, which is there only when it is complete. */

import { unwritable } from "../../config/files/atomic_file.ts";
import { fetchImages, type FetchOptions } from "./fetch_images.ts";
import { writeLayout } from "./oci_layout.ts";

/** What is made, and of what. */
export interface CacheOptions extends Omit<FetchOptions, "folder"> {
  /** Directory to create; one that exists is replaced. */
  readonly target: string;
  /** Layout of the directory. */
  readonly layout: "oci" | "flat";
  /** The present. */
  readonly now: Date;
}

/**
 * Makes a cache. What was fetched for it stays beside it, in a directory with `.part` behind its name, until it is
 * complete; another run with the same target continues there.
 *
 * @throws {OsctlError} If an image is not to be had, or is not what its digest says.
 * @throws {ConfigError} If the cache cannot be written.
 */
export async function createCache(options: CacheOptions): Promise<void> {
  try {
    await create(options);
  } catch (error) {
    options.signal.throwIfAborted();
    throw unwritable(options.target, error);
  }
}

async function create(options: CacheOptions): Promise<void> {
  const { target, layout, platforms, now } = options;
  const folder = `${target}.part`;
  await fetchImages({ ...options, folder });
  if (layout === "flat") return await replace(folder, target);
  const written = `${target}.oci.part`;
  await remove(written);
  await writeLayout(folder, written, {
    platform: platforms[0] ?? "linux/amd64",
    created: now,
  });
  await replace(written, target);
  await remove(folder);
}

async function replace(from: string, to: string): Promise<void> {
  await remove(to);
  await Deno.rename(from, to);
}

async function remove(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
