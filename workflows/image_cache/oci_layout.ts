/** A cache of images as an image in an OCI layout (image specification 1.1). */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { createGzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { type Pack, pack as createPack } from "tar-stream";
import { writeAll } from "../../config/files/write_all.ts";

/**
 * Writes a layout with one image, whose one layer holds a folder.
 *
 * @param folder What the layer holds: names, permissions and contents.
 * @param target Folder that does not exist yet.
 * @param options Machine the image is for, `linux/amd64`, and when it was made.
 */
export async function writeLayout(
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
  // What is in it is compressed already.
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

/** Packs what is in a folder, sorted by path, folders before what is in them. */
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
