/** Secrets in configurations, for the output masker. */

import type { Masker } from "../../lib/masker.ts";
import type { MapNode } from "../tree/node.ts";
import { redact, type Why } from "./redact.ts";
import type { Fields } from "./schema.ts";

/**
 * Registers possible secrets of a document with a masker.
 *
 * @param fields Description of its kind; absent for an unknown one.
 */
export function learnSecrets(
  root: MapNode,
  fields: Fields | undefined,
  masker: Pick<Masker, "addLater">,
): void {
  masker.addLater(() => {
    const secrets: string[] = [];
    redact(root, fields, (_, text, why) => {
      secrets.push(...secretsIn(text, why));
      return text;
    });
    return secrets;
  });
}

/** Shorter values, in characters, are secret only in secret fields. */
const least = 8;

function secretsIn(text: string, why: Why): readonly string[] {
  if (why === "secret") {
    const parts = credentialsIn(text).flatMap((part) => part.split(/[:=&]/))
      .filter(({ length }) => length >= least);
    return [text, ...decodePem(text), ...parts];
  }
  const parts = splitParts(text);
  const isOne = !text.includes("\n") && text.length >= least;
  const known = why === "text" ? isUsual : isPublic;
  return isOne && !known(text) ? [text, ...parts] : parts;
}

/** user:password and name=value&name=value, in a URL or alone. */
function credentialsIn(text: string): readonly string[] {
  if (!text.includes("://")) return [text];
  const [, user = ""] = /:\/\/(\S+)@/.exec(text) ?? [];
  const [, query = ""] = /[?#](\S*)/.exec(text) ?? [];
  return [user, query];
}

function decodePem(text: string): readonly string[] {
  // Rarely one, and decoding text that is not base64 is slow.
  if (!text.replaceAll(/\s/g, "").startsWith(pemStart)) return [];
  try {
    const plain = new TextDecoder().decode(Uint8Array.fromBase64(text));
    return plain.startsWith("-----BEGIN ") ? [plain] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** Base64 of the start of `-----BEGIN`, whatever follows. */
const pemStart = "LS0tLS1CRUdJT";

/** Lines of a file, and unguessable words in them. */
function splitParts(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const whole = lines.length === 1
    ? []
    : lines.filter((line) => line.length >= least && !isPublic(line));
  const words = lines.flatMap((line) => [
    ...line.split(/[\s,;"'`=?&()[\]{}]+|:(?=\s)/),
    ...line.match(/(?<=:\/\/[^\s/@]*:)[^\s/@]+(?=@)/g) ?? [],
    // Text after a name, if it has several words.
    ...line.match(/(?<=^[\w."' -]+(?::\s|=)\s*["']?)[^"'\n]*[^"'\s]/g) ?? [],
  ]);
  return [
    ...whole,
    ...words.filter((word) => word.length >= least && !isPublic(word)),
  ];
}

/** Common values in output that are not secrets. */
function isUsual(text: string): boolean {
  return /^[\d.,:/]+$/.test(text) || // numbers, addresses, networks
    /^\/[\w./-]*$/.test(text) || // paths
    /^v?\d+(\.\d+)+(-[\w.]+)?$/.test(text); // versions
}

/** The same for common words in files and manifests. */
function isPublic(text: string): boolean {
  return isUsual(text) ||
    // Compiling a class of Unicode takes a millisecond, so only a text that needs it is compared with one.
    !/[A-Za-z\d]/.test(text) && /^[^\p{L}]*$/u.test(text) ||
    /^-----(BEGIN|END) [A-Z0-9 ]+-----$/.test(text) ||
    /^\W*[A-Za-z]+([-_./:]+[A-Za-z]+)*\W*$/.test(text) || // names
    /^[\w.-]+(\/[\w.-]+)*:\s*([A-Za-z-]*|\S{0,7})$/.test(text) || // keys
    /^([a-z0-9-]+\.)+[a-z]+(:\d+)?(\/[a-z0-9._/-]*)?(:v?[\w.-]+)?$/.test(
      text,
    ) || // hosts, images
    /^[a-z.]*\/?v\d+((alpha|beta)\d+)?$/.test(text); // versions of an API
}
