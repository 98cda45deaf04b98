/** Client certificates issued by the new CA, kept in the vault and tried by every connection. */

import { issueCertificate } from "../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { decodePrivateKey, encodePrivateKey } from "../../pki/private_key.ts";
import type { Role } from "../../pki/roles.ts";
import { ConfigError } from "../../errors.ts";
import type {
  Credential,
  CredentialRing,
  RunResources,
} from "./run_resources.ts";
import type { SecretHandle, Vault } from "../vault/secrets.ts";
import { readCa } from "../../pki/ca.ts";
import { certificateIn } from "./certificate_text.ts";
import { newCaKey, readRotation } from "./rotation.ts";

/** Client certificates for use before and after the nodes serve certificates of the new CA. */
interface IssuedClients {
  readonly transitional: SecretHandle;
  readonly final: SecretHandle;
}

interface ClientSpec {
  readonly role: Role;
  /** Validity, in milliseconds. */
  readonly lifetimeMs: number;
  /** Current time, in milliseconds since 1970. */
  readonly now: number;
}

const prefix = "client.";
const keyEntry = "client-key";

/**
 * Issues client certificates of the new OS CA, or finds them in the vault.
 *
 * @param resources Resources of the step; the ring gets both entries.
 */
export async function issueClients(
  resources: Pick<RunResources, "vault" | "ring">,
  spec: ClientSpec,
): Promise<IssuedClients> {
  const { vault, ring } = resources;
  const { crt: ca, oldCrt } = await readRotation(resources, "os");
  const known = vault.find(`${prefix}final`);
  const { crt, key } = known === undefined
    ? await newClient(resources, spec)
    : await credentialIn(vault, known);
  // The final one last: its presence implies both.
  const both: readonly Credential[] = [
    { name: "transitional", ca: oldCrt, crt, key },
    { name: "final", ca, crt, key },
  ];
  const [transitional, final] = [
    await keep(vault, both[0]!), // there are two
    await keep(vault, both[1]!),
  ];
  both.forEach(ring.add);
  return { transitional, final };
}

/**
 * Reads a client certificate. `handle`: from {@linkcode issueClients}. Throws `ConfigError` if it is something else.
 */
export async function credentialIn(
  vault: Pick<Vault, "read">,
  handle: SecretHandle,
): Promise<Credential> {
  if (!handle.secret.startsWith(prefix)) {
    throw new ConfigError(
      `Secret "${handle.secret}" is not a client certificate`,
      {
        hint: "Give the output transitional or final of osconfig.issue",
      },
    );
  }
  const text = new TextDecoder().decode(await vault.read(handle));
  // Only `keep` writes it.
  return JSON.parse(text) as Credential;
}

/** Restores the client certificates of a vault to a ring after a crash. */
export async function restoreCredentials(
  ring: Pick<CredentialRing, "add">,
  vault: Pick<Vault, "names" | "find" | "read">,
): Promise<void> {
  for (const name of vault.names()) {
    const handle = name.startsWith(prefix) ? vault.find(name) : undefined;
    if (handle !== undefined) ring.add(await credentialIn(vault, handle));
  }
}

async function newClient(
  resources: Pick<RunResources, "vault">,
  { role, lifetimeMs, now }: ClientSpec,
): Promise<Pick<Credential, "crt" | "key">> {
  const { vault } = resources;
  const { crt } = await readRotation(resources, "os");
  const ca = await readCa(crt, await newCaKey(resources, "os"));
  const key = vault.find(keyEntry) ??
    await vault.put(
      keyEntry,
      new TextEncoder().encode(encodePrivateKey(await generateKey())),
    );
  const pem = decodePrivateKey(await vault.read(key));
  const certificate = await issueCertificate({
    ca,
    subject: { organizations: [role] },
    publicKey: await exportPublicSpki(pem),
    extendedKeyUsage: ["clientAuth"],
    // Tolerates clock skew.
    notBefore: new Date(now - hourMs),
    notAfter: new Date(now + lifetimeMs),
  });
  return { crt: encodePem(pemLabel.certificate, certificate), key };
}

const hourMs = 3_600_000;

function keep(
  vault: Vault,
  credential: Credential,
): Promise<SecretHandle> {
  const { fingerprint } = certificateIn(credential.crt);
  const name = `${prefix}${credential.name}`;
  const old = vault.find(name);
  if (old !== undefined) return Promise.resolve(old);
  const text = JSON.stringify(credential);
  return vault.put(name, new TextEncoder().encode(text), fingerprint);
}
