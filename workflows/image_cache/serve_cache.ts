/** A read-only registry (OCI distribution specification 1.1) of the files of a cache. */

import { ConfigError } from "../../errors.ts";
import { exists } from "../../lib/files/exists.ts";
import { hashBytes } from "./fetch_blob.ts";
import { fileName } from "./fetch_images.ts";
import { registryFolder } from "./reference.ts";

/** Options of {@linkcode serveCache}. */
export interface CacheServerOptions {
  readonly folder: string;
  readonly host: string;
  /** Port; 0 for a free one. */
  readonly port: number;
  /** Certificate and key of the server, PEM; absent for plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Called with each request that was answered. */
  readonly answered: (
    request: { readonly method: string; readonly path: string },
    status: number,
  ) => void;
}

/** A running server. */
export interface CacheServer extends AsyncDisposable {
  readonly port: number;
}

/**
 * Starts a server.
 *
 * @throws {ConfigError} If the folder is not a flat cache, or the address cannot be used.
 */
export async function serveCache(
  { folder, host, port, tls, answered }: CacheServerOptions,
): Promise<CacheServer> {
  if (!await exists(`${folder}/manifests`)) {
    throw new ConfigError(`"${folder}" is not a flat image cache`, {
      hint: "Create it with: osctl image cache-create --layout flat",
    });
  }
  const handle = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const response = await answer(folder, request).catch(() =>
      refusal(500, "UNKNOWN")
    );
    const path = `${pathname}${search}`;
    answered({ method: request.method, path }, response.status);
    return response;
  };
  const options = { hostname: host, port, onListen() {}, ...tls };
  try {
    const server = Deno.serve(options, handle);
    return {
      port: server.addr.port,
      [Symbol.asyncDispose]: () => server.shutdown(),
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`Cannot serve on "${host}" port ${port}: ${why}`, {
      cause,
    });
  }
}

/** Path of a manifest or blob. A name has no dots alone, which would lead out of the folder. */
const content =
  /^\/v2\/([a-z0-9]+(?:(?:[._]|__|-+|\/)[a-z0-9]+)*)\/(manifests|blobs)\/(sha256:[0-9a-f]{64}|\w[\w.-]{0,127})$/;

async function answer(folder: string, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refusal(405, "UNSUPPORTED");
  }
  if (/^\/(v2|healthz)\/?$/.test(pathname)) return Response.json({});
  const [, name, kind, reference = ""] = content.exec(pathname) ?? [];
  if (name === undefined) return refusal(404, "NAME_INVALID");
  if (kind === "blobs") return await blob(folder, reference, request);
  const namespace = searchParams.get("ns");
  const registries = namespace === null
    ? await registriesIn(folder)
    : [registryFolder(namespace)];
  for (const registry of registries) {
    if (!/^\w[\w.-]*$/.test(registry)) continue;
    const root = `${folder}/manifests/${registry}/${name}`;
    const path = reference.startsWith("sha256:")
      ? `${root}/digest/${fileName(reference)}`
      : `${root}/reference/${reference}`;
    if (await exists(path)) return await manifest(path, reference, request);
  }
  return refusal(404, "MANIFEST_UNKNOWN");
}

async function registriesIn(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(`${folder}/manifests`));
  return entries.map(({ name }) => name).sort();
}

async function manifest(
  path: string,
  reference: string,
  { method }: Request,
): Promise<Response> {
  const bytes = await Deno.readFile(path);
  const digest = hashBytes(bytes);
  if (reference.startsWith("sha256:") && reference !== digest) {
    return refusal(500, "DIGEST_INVALID");
  }
  const { mediaType, manifests } = JSON.parse(new TextDecoder().decode(bytes));
  // The field is optional in manifests of the OCI.
  const kind = manifests === undefined ? "manifest" : "index";
  const headers = {
    "content-type": mediaType ?? `application/vnd.oci.image.${kind}.v1+json`,
    "content-length": String(bytes.length),
    "docker-content-digest": digest,
  };
  return new Response(method === "HEAD" ? null : bytes, { headers });
}

async function blob(
  folder: string,
  digest: string,
  { method, headers: asked }: Request,
): Promise<Response> {
  const path = `${folder}/blob/${fileName(digest)}`;
  if (!digest.startsWith("sha256:") || !await exists(path)) {
    return refusal(404, "BLOB_UNKNOWN");
  }
  const { size } = await Deno.stat(path);
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(asked.get("range") ?? "") ??
    [];
  const first = Number(from ?? 0);
  const last = Math.min(to ? Number(to) : Infinity, size - 1);
  if (from !== undefined && first > last) {
    return new Response(null, {
      status: 416,
      headers: { "content-range": `bytes */${size}` },
    });
  }
  const length = last - first + 1;
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": String(length),
    "accept-ranges": "bytes",
    "docker-content-digest": digest,
    ...from !== undefined &&
      { "content-range": `bytes ${first}-${last}/${size}` },
  };
  const status = from === undefined ? 200 : 206;
  if (method === "HEAD") return new Response(null, { status, headers });
  const body = ReadableStream.from(readPart(path, first, length));
  return new Response(body, { status, headers });
}

async function* readPart(
  path: string,
  from: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  using file = await Deno.open(path);
  await file.seek(from, Deno.SeekMode.Start);
  for (let left = length; left > 0;) {
    const buffer = new Uint8Array(Math.min(left, 64 * 1024));
    const count = await file.read(buffer);
    if (count === null) return;
    left -= count;
    yield buffer.subarray(0, count);
  }
}

function refusal(status: number, code: string): Response {
  return Response.json({ errors: [{ code }] }, { status });
}
