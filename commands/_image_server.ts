/** The registry of an image cache, with certificate files. */

import { UsageError } from "../errors.ts";
import { readPemFile } from "../lib/files/pem_file.ts";
import {
  type CacheServer,
  type CacheServerOptions,
  serveCache,
} from "../workflows/image_cache/serve_cache.ts";

/** Options of {@linkcode serveImages}. */
interface ImageServerOptions extends Omit<CacheServerOptions, "tls"> {
  /** Path of the certificate, PEM; absent for HTTP. */
  readonly certFile?: string | undefined;
  /** Path of its key, PEM. */
  readonly keyFile?: string | undefined;
}

/**
 * Starts a server.
 *
 * @throws {ConfigError} If a file cannot be read, the folder is not a flat cache, or the address cannot be used.
 */
export async function serveImages(
  { certFile, keyFile, ...options }: ImageServerOptions,
): Promise<CacheServer> {
  if (certFile === undefined || keyFile === undefined) {
    return await serveCache(options);
  }
  const read = (path: string) =>
    readPemFile(path, (pem) => new TextDecoder().decode(pem));
  const tls = { cert: await read(certFile), key: await read(keyFile) };
  return await serveCache({ ...options, tls });
}

/** Refuses a certificate without a key, and a key without a certificate. `prefix`: `--tls`. */
export function requirePair(
  certFile: string | undefined,
  keyFile: string | undefined,
  prefix: string,
): void {
  if ((certFile === undefined) === (keyFile === undefined)) return;
  throw new UsageError(
    `Flags ${prefix}-cert-file and ${prefix}-key-file are only valid together`,
  );
}
