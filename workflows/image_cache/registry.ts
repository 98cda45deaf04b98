/** Registries of container images (OCI distribution specification 1.1). */

import { collectBytes } from "../../lib/bytes.ts";
import type { ImageReference } from "./reference.ts";
import {
  type RegistryOptions,
  RegistryRefusal,
  registrySession,
  unreachable,
} from "./registry_session.ts";

/** A reference in a manifest or index. */
export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:` and 64 digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** Platform; in indexes only. */
  readonly platform?: {
    readonly os: string;
    readonly architecture: string;
    readonly variant?: string;
  };
}

/** Client of container registries. */
export interface Registry {
  /** Reads a manifest or index. `reference`: tag or digest. */
  readonly manifest: (
    image: ImageReference,
    reference: string,
  ) => Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Reads a blob from an offset. Returns its chunks, and whether they begin at the offset; otherwise they begin at 0.
   */
  readonly blob: (
    image: ImageReference,
    digest: string,
    from: number,
  ) => Promise<
    { readonly resumed: boolean; readonly body: AsyncIterable<Uint8Array> }
  >;
  readonly hasBlob: (image: ImageReference, digest: string) => Promise<boolean>;
  /** Reports whether the registry has a manifest or index. `reference`: tag or digest. */
  readonly hasManifest: (
    image: ImageReference,
    reference: string,
  ) => Promise<boolean>;
  /** Writes a blob, which the registry verifies by digest. `parts`: its content, in chunks of any size. */
  readonly putBlob: (
    image: ImageReference,
    digest: string,
    parts: AsyncIterable<Uint8Array>,
  ) => Promise<void>;
  /** Writes a manifest or index. `reference`: tag or digest. */
  readonly putManifest: (
    image: ImageReference,
    reference: string,
    manifest: { readonly mediaType: string; readonly bytes: Uint8Array },
  ) => Promise<void>;
}

const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Chunk size of blob uploads, in bytes. */
const partSize = 8 * 1024 * 1024;

/** Maximum size of a manifest, in bytes; registries have the same limit. */
const largestManifest = 4 * 1024 * 1024;

/** Creates a registry client that caches tokens and schemes. */
export function registryClient(options: RegistryOptions): Registry {
  const { signal } = options;
  const request = registrySession(options);

  /** Reads the body of a response, which a registry may truncate. */
  async function* readContent(
    host: string,
    { body }: Response,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      if (body !== null) yield* body;
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(host, error);
    }
  }

  async function isThere(
    image: ImageReference,
    path: string,
  ): Promise<boolean> {
    const answer = await request(image, path, {
      method: "HEAD",
      headers: { accept: manifestTypes },
      missing: true,
    });
    await answer.body?.cancel();
    return answer.ok;
  }

  return {
    async manifest(image, reference) {
      const path = `manifests/${reference}`;
      const answer = await request(image, path, {
        headers: { accept: manifestTypes },
      });
      const content = readContent(image.host, answer);
      const bytes = await collectBytes(content, largestManifest);
      if (bytes !== undefined) return bytes;
      throw new RegistryRefusal(
        `The manifest of ${image.text} is too large: over 4 MiB`,
      );
    },
    async blob(image, digest, from) {
      const answer = await request(image, `blobs/${digest}`, {
        headers: from > 0 ? { range: `bytes=${from}-` } : {},
      });
      return {
        resumed: answer.status === 206,
        body: readContent(image.host, answer),
      };
    },
    hasBlob: (image, digest) => isThere(image, `blobs/${digest}`),
    hasManifest: (image, reference) => isThere(image, `manifests/${reference}`),
    async putBlob(image, digest, parts) {
      const begun = await request(image, "blobs/uploads/", { method: "POST" });
      let place = await findLocation(begun);
      let sent = 0;
      for await (const body of inParts(parts)) {
        // Each response has the location of the next chunk.
        const answer = await request(image, place, {
          method: "PATCH",
          headers: {
            "content-type": "application/octet-stream",
            "content-range": `${sent}-${sent + body.length - 1}`,
          },
          body,
        });
        place = await findLocation(answer);
        sent += body.length;
      }
      const more = place.includes("?") ? "&" : "?";
      const whole = `${place}${more}digest=${encodeURIComponent(digest)}`;
      const ended = await request(image, whole, { method: "PUT" });
      await ended.body?.cancel();
    },
    async putManifest(image, reference, { mediaType, bytes }) {
      const answer = await request(image, `manifests/${reference}`, {
        method: "PUT",
        headers: { "content-type": mediaType },
        body: new Uint8Array(bytes),
      });
      await answer.body?.cancel();
    },
  };
}

async function findLocation(answer: Response): Promise<string> {
  await answer.body?.cancel();
  const place = answer.headers.get("location");
  const { host } = new URL(answer.url);
  if (place !== null) {
    const url = new URL(place, answer.url);
    // Behind a TLS-terminating proxy, registries return `http` URLs of themselves.
    return url.host === host ? `${url.pathname}${url.search}` : url.href;
  }
  throw new RegistryRefusal(`${host} did not say where to continue the upload`);
}

/** Splits content into chunks of one size; the last one may be smaller. */
async function* inParts(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(partSize);
  let filled = 0;
  for await (let chunk of content) {
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, partSize - filled);
      part.set(taken, filled);
      filled += taken.length;
      chunk = chunk.subarray(taken.length);
      if (filled < partSize) break;
      yield part.slice();
      filled = 0;
    }
  }
  if (filled > 0) yield part.slice(0, filled);
}
