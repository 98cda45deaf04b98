/** Reads and checks the secrets in documents; reports all errors at once. */

import { ConfigError } from "../../errors.ts";
import { readCa } from "../../pki/ca.ts";
import { exportPublicSpki } from "../../pki/key.ts";
import { decodeBase64 } from "../osconfig/client_identity.ts";
import type { Cursor } from "../documents/cursor.ts";
import { processMasker } from "../../lib/masker.ts";
import type { Problem } from "../documents/problem.ts";
import {
  type EncodedCa,
  type EncodedKey,
  encodeFile,
  type SecretsBundle,
} from "./secrets.ts";

/** Locations of the secrets in a document; for CAs and keys the mapping with `crt` and `key`. */
interface SecretPlaces {
  readonly id: Cursor;
  readonly secret: Cursor;
  readonly bootstrapToken: Cursor;
  /** Former encryption secret. */
  readonly aescbc: Cursor;
  readonly secretbox: Cursor;
  /** Join token for workers. */
  readonly token: Cursor;
  readonly certs: { readonly [Name in keyof SecretsBundle["certs"]]: Cursor };
}

interface SecretsReading {
  /** The secrets; valid only without problems. */
  readonly bundle: SecretsBundle;
  /** Missing or invalid secrets, in the order of their locations. */
  readonly problems: readonly Problem[];
}

/** Replacement for a secret in a printed document. */
const redacted = "******";

/** Reads and checks secrets. */
export async function readSecrets(
  places: SecretPlaces,
): Promise<SecretsReading> {
  const problems: Problem[] = [];
  const { certs } = places;
  const bundle: SecretsBundle = {
    cluster: {
      id: requiredText(places.id, problems),
      secret: requiredText(places.secret, problems),
    },
    secrets: {
      bootstrapToken: requiredText(places.bootstrapToken, problems),
      ...encryptionSecret(places, problems),
    },
    trustdInfo: { token: requiredText(places.token, problems) },
    certs: {
      etcd: await caAt(certs.etcd, problems),
      k8s: await caAt(certs.k8s, problems),
      k8sAggregator: await caAt(certs.k8sAggregator, problems),
      k8sServiceAccount: await privateKey(certs.k8sServiceAccount, problems),
      os: await caAt(certs.os, problems),
    },
  };
  hideSecrets(bundle);
  return { bundle, problems };
}

/** Masks secrets from now on in all output. */
export function hideSecrets(
  { cluster, secrets, trustdInfo, certs }: SecretsBundle,
): void {
  const keys = Object.values(certs).map(({ key }) => key);
  for (const key of keys) processMasker.add(decodeBase64(key) ?? key);
  const texts = [cluster.secret, trustdInfo.token, ...Object.values(secrets)];
  for (const text of texts) if (text !== undefined) processMasker.add(text);
}

function requiredText(place: Cursor, problems: Problem[]): string {
  const text = place.text() ?? "";
  const name = place.path.at(-1);
  if (place.node !== undefined && place.node.kind !== "scalar") {
    problems.push(place.error(`"${name}" is not a string`));
  } else if (text === "") {
    problems.push(place.error(`"${name}" is missing`));
  } else if (text === redacted) {
    const hint = "Use the original file, not a redacted copy";
    problems.push(place.error(`"${name}" is redacted`, hint));
  }
  return text;
}

type EncryptionSecret = Omit<SecretsBundle["secrets"], "bootstrapToken">;

function encryptionSecret(
  { secretbox, aescbc }: SecretPlaces,
  problems: Problem[],
): EncryptionSecret {
  const isSet = (place: Cursor) =>
    place.node !== undefined && place.text() !== "";
  if (!isSet(aescbc)) {
    return { secretboxEncryptionSecret: requiredText(secretbox, problems) };
  }
  if (isSet(secretbox)) {
    const [one, other] = [aescbc, secretbox].map(({ path }) => path.at(-1));
    problems.push(
      aescbc.error(
        `Both "${one}" and "${other}" are given`,
        "Keep one of them",
      ),
    );
  }
  return { aescbcEncryptionSecret: requiredText(aescbc, problems) };
}

async function caAt(
  place: Cursor,
  problems: Problem[],
): Promise<EncodedCa> {
  const crt = file(place.get("crt"), problems);
  const key = file(place.get("key"), problems);
  if (crt !== undefined && key !== undefined) {
    await check(place, problems, () => readCa(crt, key));
  }
  return {
    crt: encodeFile(crt ?? new Uint8Array()),
    key: encodeFile(key ?? new Uint8Array()),
  };
}

async function privateKey(
  place: Cursor,
  problems: Problem[],
): Promise<EncodedKey> {
  const key = file(place.get("key"), problems);
  if (key !== undefined) {
    await check(place.get("key"), problems, () => exportPublicSpki(key));
  }
  return { key: encodeFile(key ?? new Uint8Array()) };
}

function file(place: Cursor, problems: Problem[]): Uint8Array | undefined {
  const before = problems.length;
  const text = requiredText(place, problems);
  if (problems.length > before) return undefined;
  const bytes = decodeBase64(text);
  if (bytes === undefined) {
    const name = place.path.at(-1);
    problems.push(
      place.error(
        `"${name}" is not base64`,
        "Use the base64 encoding of a PEM file",
      ),
    );
  }
  return bytes;
}

async function check(
  place: Cursor,
  problems: Problem[],
  read: () => Promise<unknown>,
): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(place.error(error.message, error.hint));
  }
}
