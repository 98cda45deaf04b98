/** Creates an image cache in a directory, which appears only when complete. */

import { withFileLock } from "../../lib/files/file_lock.ts";
import { ownFolder } from "../../lib/files/temporary.ts";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createGzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { type Pack, pack as createPack } from "tar-stream";
import {
  splitPath,
  temporaryBeside,
  unwritable,
} from "../../lib/files/atomic_file.ts";
import { writeAll } from "../../lib/files/write_all.ts";
import { fetchImages, type ImageFetchOptions } from "./fetch_images.ts";

interface CacheOptions extends Omit<ImageFetchOptions, "folder"> {
  /** Directory to create; an existing one is replaced. */
  readonly target: string;
  readonly layout: "oci" | "flat";
  readonly now: Date;
}

/**
 * Creates a cache. Downloads stay next to the target, in a directory with the suffix `.part`, until the cache is
 * complete; another run with the same target resumes there.
 *
 * @throws {OsctlError} If an image cannot be fetched, or does not match its digest, or another process creates it.
 * @throws {ConfigError} If the cache cannot be written.
 */
export async function createCache(options: CacheOptions): Promise<void> {
  const { target, signal } = options;
  try {
    const [parent] = splitPath(target);
    await Deno.mkdir(parent, { recursive: true });
    await withFileLock(target, () => create(options), { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw unwritable(target, error);
  }
}

async function create(options: CacheOptions): Promise<void> {
  const { target, layout, platforms, now } = options;
  const folder = `${target}.part`;
  await ownFolder(folder);
  await fetchImages({ ...options, folder });
  if (layout === "flat") return await replace(folder, target);
  const written = temporaryBeside(target);
  await Deno.mkdir(written, { mode: 0o700 });
  await writeLayout(folder, written, {
    platform: platforms[0] ?? "linux/amd64",
    created: now,
  }).catch(async (error) => {
    await remove(written);
    throw error;
  });
  await replace(written, target);
  await remove(folder);
}

async function replace(from: string, to: string): Promise<void> {
  // Until here only this user had access.
  if (Deno.build.os !== "windows") {
    await Deno.chmod(from, 0o777 & ~Deno.umask());
  }
  await remove(to);
  await Deno.rename(from, to);
}

async function remove(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/**
 * Writes an OCI layout (image specification 1.1) with one image of a single layer with the contents of `folder`;
 * `target` is new.
 */
async function writeLayout(
  folder: string,
  target: string,
  { platform, created }: { readonly platform: string; readonly created: Date },
): Promise<void> {
  const blobs = `${target}/blobs/sha256`;
  await Deno.mkdir(blobs, { recursive: true });
  const layer = await writeLayer(folder, `${blobs}/layer.part`);
  await Deno.rename(`${blobs}/layer.part`, `${blobs}/${layer.digest}`);
  const [os = "", architecture = "", variant] = platform.split("/");
  const machine = { architecture, os, ...variant && { variant } };
  const put = async (mediaType: string, content: object) => {
    const bytes = new TextEncoder().encode(JSON.stringify(content));
    const digest = createHash("sha256").update(bytes).digest("hex");
    await Deno.writeFile(`${blobs}/${digest}`, bytes);
    return { mediaType, size: bytes.length, digest: `sha256:${digest}` };
  };
  const config = await put("application/vnd.oci.image.config.v1+json", {
    ...machine,
    created: created.toISOString(),
    config: {},
    rootfs: { type: "layers", diff_ids: [`sha256:${layer.diffId}`] },
    history: [{ created: created.toISOString() }],
  });
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = await put(mediaType, {
    schemaVersion: 2,
    mediaType,
    config,
    layers: [{
      mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
      size: layer.size,
      digest: `sha256:${layer.digest}`,
    }],
  });
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [{ ...manifest, platform: machine }],
  };
  await Deno.writeTextFile(`${target}/index.json`, JSON.stringify(index));
  const version = { imageLayoutVersion: "1.0.0" };
  await Deno.writeTextFile(`${target}/oci-layout`, JSON.stringify(version));
}

async function writeLayer(folder: string, path: string) {
  const [plain, packed] = [createHash("sha256"), createHash("sha256")];
  const pack = createPack();
  // The content is already compressed.
  const gzip = createGzip({ level: 1 });
  pack.on("data", (chunk: Uint8Array) => plain.update(chunk));
  pack.pipe(gzip);
  const packing = packFolder(pack, folder, "")
    .then(() => pack.finalize(), (error) => gzip.destroy(error));
  let size = 0;
  using file = await Deno.open(path, { write: true, create: true });
  for await (const chunk of gzip) {
    packed.update(chunk);
    size += chunk.length;
    await writeAll(file, chunk);
  }
  await packing;
  return { size, diffId: plain.digest("hex"), digest: packed.digest("hex") };
}

/** Packs a folder, sorted by path, parents first. */
async function packFolder(
  pack: Pack,
  folder: string,
  prefix: string,
): Promise<void> {
  const entries = (await Array.fromAsync(Deno.readDir(`${folder}/${prefix}`)))
    .filter(({ name }) => !name.endsWith(".part"))
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
  for (const { name, isDirectory } of entries) {
    const path = `${prefix}${name}`;
    const mtime = new Date(0);
    if (isDirectory) {
      pack.entry({ name: `${path}/`, type: "directory", mode: 0o755, mtime });
      await packFolder(pack, folder, `${path}/`);
    } else await packFile(pack, `${folder}/${path}`, { name: path, mtime });
  }
}

async function packFile(
  pack: Pack,
  path: string,
  header: { readonly name: string; readonly mtime: Date },
): Promise<void> {
  const { size } = await Deno.stat(path);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sink = pack.entry(
    { ...header, size, mode: 0o644 },
    (error) => error ? reject(error) : resolve(),
  );
  const file = await Deno.open(path);
  for await (const chunk of file.readable) {
    if (sink.write(Buffer.from(chunk))) continue;
    await new Promise<void>((next) => sink.once("drain", next));
  }
  sink.end();
  await promise;
}
