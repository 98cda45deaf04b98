/** Takes apart what is written for firmware, and asks Debian's tools what they make of it. */

import { encodeDer, encodeOid, encodeSequence } from "../../pki/der_encode.ts";

/** Parts of an `.auth` file. */
export interface AuthParts {
  /** `EFI_TIME`, 16 bytes. */
  readonly time: Uint8Array;
  /** Length, revision, type and GUID in front of the signature, 24 bytes. */
  readonly header: Uint8Array;
  /** `SignedData`, DER. */
  readonly signature: Uint8Array;
  readonly value: Uint8Array;
}

/** Splits an `.auth` file where its own length says. */
export function splitAuth(auth: Uint8Array): AuthParts {
  const length = new DataView(auth.buffer, auth.byteOffset)
    .getUint32(16, true);
  return {
    time: auth.slice(0, 16),
    header: auth.slice(16, 40),
    signature: auth.slice(40, 16 + length),
    value: auth.slice(16 + length),
  };
}

/** Puts the wrapper around `SignedData` that openssl wants and firmware does not. */
export function toContentInfo(signedData: Uint8Array): Uint8Array {
  return encodeSequence(
    encodeOid("1.2.840.113549.1.7.2"),
    encodeDer(0xa0, signedData),
  );
}

/**
 * Runs a program in a folder, in UTC.
 *
 * @returns What it printed on both streams.
 * @throws If it does not end with status 0.
 */
export async function runIn(
  folder: string,
  program: string,
  ...args: readonly string[]
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: folder,
    env: { TZ: "UTC", LC_ALL: "C" },
  }).output();
  const text = new TextDecoder();
  const printed = text.decode(stdout) + text.decode(stderr);
  if (success) return printed;
  throw new Error(`${program} ${args.join(" ")}: ${printed}`);
}

/** Runs a test in a folder that is removed afterwards. */
export async function withFolder(
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
