/** PEM, the text form of certificates and keys (RFC 7468). */

import { ConfigError } from "../errors.ts";

/** One `-----BEGIN label-----` block. */
export interface PemBlock {
  /** Word between the dashes: `"CERTIFICATE"`. */
  readonly label: string;
  readonly der: Uint8Array<ArrayBuffer>;
}

/** Labels of certificates and certificate requests. */
export const pemLabel = {
  certificate: "CERTIFICATE",
  request: "CERTIFICATE REQUEST",
} as const;

const maxCharacters = 1 << 20;
const boundary = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----$/;

/**
 * Decodes every block of a PEM text; text outside of blocks is skipped.
 *
 * @param text At most 1 MiB; bytes are read as ASCII.
 * @returns At least one block, in the order of the text.
 * @throws {ConfigError} If there is no block, or one is truncated, encrypted or not base64.
 */
export function decodePem(text: string | Uint8Array): readonly PemBlock[] {
  if (text.length > maxCharacters) {
    throw new ConfigError("Cannot read PEM: text is longer than 1 MiB");
  }
  const blocks: PemBlock[] = [];
  let open: { readonly label: string; readonly lines: string[] } | undefined;
  for (const line of splitLines(text)) {
    const [, edge, label = ""] = boundary.exec(line) ?? [];
    if (edge === undefined) {
      open?.lines.push(line);
    } else if (edge === "BEGIN") {
      if (open !== undefined) throw unclosedError(open.label);
      open = { label, lines: [] };
    } else {
      if (open?.label !== label) throw unopenedError(label);
      blocks.push({ label, der: decodeBody(label, open.lines.join("")) });
      open = undefined;
    }
  }
  if (open !== undefined) throw unclosedError(open.label);
  if (blocks.length === 0) {
    throw new ConfigError('Cannot read PEM: there is no "-----BEGIN" line');
  }
  return blocks;
}

/**
 * Decodes the blocks with one label; others are skipped.
 *
 * @param label For example `"CERTIFICATE"`.
 * @returns At least one block's content.
 * @throws {ConfigError} If the text is not PEM or has no such block.
 */
export function decodePemAs(
  label: string,
  text: string | Uint8Array,
): readonly [Uint8Array<ArrayBuffer>, ...Uint8Array<ArrayBuffer>[]] {
  const blocks = decodePem(text);
  const [first, ...rest] = blocks.filter((block) => block.label === label);
  if (first === undefined) {
    throw new ConfigError(
      `Cannot read PEM: expected "${label}", found "${blocks[0]?.label}"`,
    );
  }
  return [first.der, ...rest.map((block) => block.der)];
}

/**
 * Encodes one block.
 *
 * @param label For example `"CERTIFICATE"`.
 * @returns Lines of 64 characters, with a line feed at the end.
 */
export function encodePem(label: string, der: Uint8Array): string {
  const lines = der.toBase64().match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""]
    .join("\n");
}

function splitLines(text: string | Uint8Array): readonly string[] {
  const decoded = typeof text === "string"
    ? text
    : new TextDecoder().decode(text);
  return decoded.split(/[\r\n]+/).map((line) => line.trim());
}

function decodeBody(
  label: string,
  base64: string,
): Uint8Array<ArrayBuffer> {
  if (/^(Proc-Type|DEK-Info):/.test(base64)) {
    throw new ConfigError(`Cannot read PEM: "${label}" is encrypted`, {
      hint: "Decrypt it with openssl pkey",
    });
  }
  if (base64 === "") {
    throw new ConfigError(`Cannot read PEM: "${label}" is empty`);
  }
  try {
    return Uint8Array.fromBase64(base64, { lastChunkHandling: "strict" });
  } catch (cause) {
    throw new ConfigError(`Cannot read PEM: "${label}" is not base64`, {
      cause,
    });
  }
}

function unclosedError(label: string): ConfigError {
  return new ConfigError(
    `Cannot read PEM: "BEGIN ${label}" has no "END ${label}"`,
  );
}

function unopenedError(label: string): ConfigError {
  return new ConfigError(
    `Cannot read PEM: "END ${label}" has no "BEGIN ${label}"`,
  );
}
