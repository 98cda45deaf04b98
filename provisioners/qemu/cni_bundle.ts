import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { type Entry, extract } from "tar-stream";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { OsctlError } from "../../errors.ts";
import type { CreateOptions } from "../provisioner.ts";
import { fetchAsset } from "./assets.ts";
import { missingPlugins } from "./cni.ts";
import type { WantedCni } from "./spec.ts";

/** Maximum size of a program in an archive, in bytes; plugins have about 5 MB. */
const longest = 64 * 1024 ** 2;

/**
 * Downloads missing plugins, if a URL is given.
 *
 * @throws {OsctlError} If the download fails, or a plugin is not in the archive.
 */
export async function installPlugins(
  { binPaths, bundleUrl, cacheDir }: WantedCni,
  { signal, progress }: Pick<CreateOptions, "signal" | "progress">,
): Promise<void> {
  const [folder] = binPaths;
  if (bundleUrl === undefined || folder === undefined) return;
  if ((await missingPlugins(binPaths)).length === 0) return;
  await progress.phase("downloading CNI plugins", async () => {
    const cache = `${cacheDir}/bundles`;
    const path = await fetchAsset(bundleUrl, { cache, signal });
    await Deno.mkdir(folder, { recursive: true });
    await unpack(path, folder, signal);
  });
  const missing = await missingPlugins(binPaths);
  if (missing.length === 0) return;
  throw new OsctlError(
    `Cannot use ${bundleUrl}: it lacks the CNI plugins ${missing.join(", ")}`,
  );
}

/** Extracts programs at the top level of an archive; skips links and folders. */
async function unpack(
  path: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const archive = extract();
  const source = createReadStream(path);
  const unpacked = createGunzip();
  const fail = (error: Error) => archive.destroy(error);
  source.on("error", fail).pipe(unpacked).on("error", fail).pipe(archive);
  try {
    for await (const entry of archive) {
      signal.throwIfAborted();
      const { name, type } = entry.header;
      const program = /^(?:\.\/)?([\w.-]+)$/.exec(name)?.[1];
      if (type !== "file" || program === undefined || program.startsWith(".")) {
        entry.resume();
        continue;
      }
      const content = await readContent(entry);
      const to = `${folder}/${program}`;
      await writeFileAtomic(to, content);
      await Deno.chmod(to, 0o755);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OsctlError) throw error;
    throw new OsctlError(`Cannot unpack "${path}": it is not a valid .tar.gz`, {
      cause: error,
    });
  } finally {
    source.destroy();
  }
}

async function readContent(entry: Entry): Promise<Uint8Array> {
  const { name, size = 0 } = entry.header;
  if (size > longest) {
    throw new OsctlError(`Cannot unpack CNI plugin "${name}": it is too large`);
  }
  const parts: Uint8Array[] = [];
  for await (const part of entry) parts.push(part);
  return Buffer.concat(parts);
}
