/** Client configurations created from the secrets of a cluster. */

import { readCa } from "../../pki/ca.ts";
import { issueCertificate } from "../../pki/certificate.ts";
import {
  exportPublicSpki,
  generateKey,
  type RandomBytes,
} from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey, type PrivateKey } from "../../pki/private_key.ts";
import type { Role } from "../../pki/roles.ts";
import type { ClientContext } from "../osconfig/osconfig.ts";
import { renderOsconfig } from "../osconfig/osconfig_file.ts";
import { encodeFile, type SecretsBundle } from "./secrets.ts";

interface AdminOptions {
  readonly clusterName: string;
  readonly secrets: SecretsBundle;
  /** Current time; the certificate is valid for 8760 h from it. */
  readonly now: Date;
  /** Addresses of control planes; default none. */
  readonly endpoints?: readonly string[];
  /** Default target nodes; default none. */
  readonly nodes?: readonly string[];
  /** Key of the client; default a new one. */
  readonly key?: PrivateKey;
  /** Random source of the serial number; default the platform. */
  readonly random?: RandomBytes;
}

/**
 * Creates a client configuration with one admin context. Returns YAML. Throws
 * `ConfigError` if the CA of the node API is invalid.
 */
export async function renderAdminOsconfig(
  options: AdminOptions,
): Promise<string> {
  const { clusterName } = options;
  const context = await adminContext(options);
  return await renderOsconfig({
    current: clusterName,
    contexts: new Map([[clusterName, context]]),
  });
}

const lifetimeMs = 8760 * 60 * 60 * 1000;
const organizations: readonly Role[] = ["os:admin"];

/** Creates an admin context. Throws `ConfigError` if the CA of the node API is invalid. */
export async function adminContext(
  { secrets, now, random, endpoints = [], nodes = [], ...options }:
    AdminOptions,
): Promise<ClientContext> {
  const { os } = secrets.certs;
  const ca = await readCa(
    Uint8Array.fromBase64(os.crt),
    Uint8Array.fromBase64(os.key),
  );
  const key = options.key ?? await generateKey();
  const certificate = await issueCertificate({
    ca,
    subject: { organizations },
    publicKey: await exportPublicSpki(key),
    extendedKeyUsage: ["clientAuth"],
    now,
    notAfter: new Date(now.getTime() + lifetimeMs),
    ...(random && { random }),
  });
  return {
    endpoints,
    nodes,
    ca: os.crt,
    crt: encodeFile(encodePem(pemLabel.certificate, certificate)),
    key: encodeFile(encodePrivateKey(key)),
  };
}
