/** Images in a directory: an OCI layout (image specification 1.1), readable by other tools. */

import {
  copyWhole,
  unwritable,
  writeWhole,
} from "../../lib/files/atomic_file.ts";
import { systemReason } from "../../lib/files/system_reason.ts";
import { writeAll } from "../../lib/files/write_all.ts";
import { ConfigError, OsctlError, RefusedError } from "../../errors.ts";
import { fileDigest, hashBytes } from "../image_cache/fetch_blob.ts";
import type { Descriptor } from "../image_cache/registry.ts";
import { type ClosureImage, collectClosure, reference } from "./closure.ts";
import type { ImageStore } from "./image_store.ts";

const nameKey = "org.opencontainers.image.ref.name";

interface LayoutEntry extends Descriptor {
  readonly annotations?: Readonly<Record<string, string>>;
}

interface LayoutStore extends ImageStore {
  /** Images in it, with their digests. */
  readonly images: readonly ClosureImage[];
  readonly blobs: string;
}

/**
 * Opens a directory.
 *
 * @param path The directory.
 * @param mode `create` to create a missing directory.
 * @throws {ConfigError} If it is not an OCI layout or cannot be read.
 * @throws {RefusedError} If it would be created among other files.
 */
export async function openLayout(
  path: string,
  mode: "read" | "create",
): Promise<LayoutStore> {
  const blobs = `${path}/blobs/sha256`;
  const entries = await readIndex(path) ??
    await noIndex(path, blobs, mode);
  const byName = new Map(entries.map((entry) => [readName(entry), entry]));
  const written = new Map<string, string>();
  const formatPath = ({ digest }: Pick<Descriptor, "digest">) =>
    `${blobs}/${digest.slice("sha256:".length)}`;

  /** Writes the index of images. */
  async function save(): Promise<void> {
    const content = JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.index.v1+json",
      manifests: [...byName.values()],
    });
    await writing(path, () => replace(`${path}/index.json`, content));
  }

  return {
    text: path,
    toName: reference,
    blobs,
    images: collectClosure(entries.flatMap((entry) => {
      const image = readName(entry);
      const { digest } = entry;
      return image === "" ? [] : [{ image, digest, source: path }];
    })),
    async manifest(image, wanted) {
      const digest = wanted ?? image.digest ?? byName.get(image.name)?.digest;
      if (digest === undefined) return undefined;
      const bytes = await Deno.readFile(formatPath({ digest })).catch(
        (error) => {
          if (error instanceof Deno.errors.NotFound) return undefined;
          throw new ConfigError(
            `Cannot read "${formatPath({ digest })}": ${systemReason(error)}`,
          );
        },
      );
      if (bytes !== undefined && hashBytes(bytes) !== digest) {
        throw damagedError(formatPath({ digest }));
      }
      return bytes;
    },
    hasBlob: async (_, blob) =>
      await fileDigest(formatPath(blob)) === blob.digest,
    async blob(_, blob) {
      const file = formatPath(blob);
      const found = await fileDigest(file);
      if (found !== blob.digest) throw damagedError(file);
      return file;
    },
    release: () => Promise.resolve(),
    async putBlob(_, blob, from) {
      const file = formatPath(blob);
      if (from === file) return;
      await writing(path, () => copyWhole(from, file, readable));
    },
    putManifest: (_, manifest) =>
      writing(path, () => replace(formatPath(manifest), manifest.bytes)),
    async tag(image, { mediaType, digest, bytes }) {
      const other = written.get(image.name) ?? digest;
      // A name belongs to one image; another image of that name is found by digest.
      const name = other === digest
        ? image.name
        : reference({ ...image, digest });
      written.set(image.name, other);
      const entry = {
        mediaType,
        digest,
        size: bytes.length,
        annotations: { [nameKey]: name },
      };
      byName.set(name, entry);
      await save();
    },
  };
}

function readName({ annotations }: LayoutEntry): string {
  return annotations?.[nameKey] ?? "";
}

async function readIndex(
  path: string,
): Promise<readonly LayoutEntry[] | undefined> {
  try {
    await Deno.stat(`${path}/oci-layout`);
    const text = await Deno.readTextFile(`${path}/index.json`);
    const { manifests } = JSON.parse(text);
    if (Array.isArray(manifests) && manifests.every(isEntry)) return manifests;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (!(error instanceof SyntaxError)) {
      throw new ConfigError(`Cannot read "${path}": ${systemReason(error)}`, {
        cause: error,
      });
    }
  }
  throw new ConfigError(
    `"${path}/index.json" is not the index of an OCI layout`,
  );
}

function isEntry(entry: unknown): entry is LayoutEntry {
  const { digest } = Object(entry);
  return typeof digest === "string" && /^sha256:[0-9a-f]{64}$/.test(digest);
}

async function noIndex(
  path: string,
  blobs: string,
  mode: "read" | "create",
): Promise<readonly LayoutEntry[]> {
  if (mode === "read") {
    throw new ConfigError(`"${path}" is not an OCI layout`, {
      hint: "Make one with: osctl airgap mirror --to DIR",
    });
  }
  const isFree = await isEmpty(path);
  if (!isFree) {
    throw new RefusedError(`"${path}" holds other files`, {
      hint: "Name a directory that is empty or does not exist",
    });
  }
  await writing(path, async () => {
    await Deno.mkdir(blobs, { recursive: true });
    const layout = JSON.stringify({ imageLayoutVersion: "1.0.0" });
    const index = JSON.stringify({ schemaVersion: 2, manifests: [] });
    await replace(`${path}/index.json`, index);
    await replace(`${path}/oci-layout`, layout);
  });
  return [];
}

/** Also true for remains of an interrupted start; disks have `lost+found`. */
async function isEmpty(path: string): Promise<boolean> {
  const own =
    /^(?:blobs|lost\+found|index\.json|\.(?:index\.json|oci-layout)\.[0-9a-f]{8}\.tmp)$/;
  try {
    for await (const { name } of Deno.readDir(path)) {
      if (!own.test(name)) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return true;
    throw unwritable(path, error);
  }
}

async function replace(
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  const bytes = typeof content === "string"
    ? new TextEncoder().encode(content)
    : content;
  await writeWhole(path, (file) => writeAll(file, bytes), readable);
}

/** File mode in the directory: another user may move it elsewhere. */
const readable = 0o644;

async function writing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw unwritable(path, error);
  }
}

function damagedError(path: string): OsctlError {
  return new OsctlError(
    `"${path}" is damaged: its content does not match its digest`,
    {
      hint: "Delete it, and copy the images again",
    },
  );
}
