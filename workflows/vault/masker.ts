/** Hiding secrets in texts that leave the program. */

import { fieldsOf, loadDocuments } from "../../config/documents/load.ts";
import { redact } from "../../config/documents/redact.ts";
import type { ConfigNode } from "../../config/tree/node.ts";
import { ConfigError } from "../../errors.ts";

/** Hides secrets. */
export interface Masker {
  /** Hides a value from now on; shorter ones than 8 characters are not. */
  readonly add: (value: string | Uint8Array) => void;
  /** A text with stars in the place of every secret. */
  readonly mask: (text: string) => string;
}

/** What stands in the place of a secret. */
export const stars = "******";

/** Shorter texts occur by chance. */
const least = 8;

/** Makes a masker that hides nothing yet. */
export function createMasker(): Masker {
  const hidden = new Set<string>();
  let pattern: RegExp | undefined;

  function add(value: string | Uint8Array): void {
    const text = typeof value === "string"
      ? value
      : new TextDecoder().decode(value);
    for (const secret of secretsIn(text)) {
      for (const form of formsOf(secret)) hidden.add(form);
    }
    pattern = undefined;
  }

  function mask(text: string): string {
    if (hidden.size === 0) return text;
    pattern ??= patternOf(hidden);
    return text.replace(pattern, stars);
  }

  return { add, mask };
}

/** Longest first: a part must not keep the whole from being found. */
function patternOf(hidden: ReadonlySet<string>): RegExp {
  const all = [...hidden].toSorted((a, b) => b.length - a.length);
  return new RegExp(all.map((form) => RegExp.escape(form)).join("|"), "g");
}

/** Secrets of a machine configuration are in some of its fields, everything else of more than a line is secret as a whole. */
function secretsIn(text: string): readonly string[] {
  return secretFields(text) ?? [text];
}

function secretFields(text: string): readonly string[] | undefined {
  if (!/^(machine|cluster|kind):/m.test(text)) return undefined;
  try {
    const { documents } = loadDocuments(text, "");
    const found: string[] = [];
    for (const { root, schema } of documents) {
      if (schema === undefined) found.push(...privateKeys(root));
      redact(root, schema && fieldsOf(schema), (_, secret) => {
        found.push(secret, ...decoded(secret));
        return secret;
      });
    }
    return found;
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** What is secret in a kind that is not known. */
function privateKeys(node: ConfigNode): readonly string[] {
  switch (node.kind) {
    case "scalar":
      return node.text.includes("PRIVATE KEY-----") ? [node.text] : [];
    case "list":
      return node.items.flatMap(({ value }) => privateKeys(value));
    case "map":
      return node.entries.flatMap(({ value }) => privateKeys(value));
  }
}

/** Documents hold keys as base64 of their PEM. */
function decoded(text: string): readonly string[] {
  try {
    const plain = new TextDecoder().decode(Uint8Array.fromBase64(text));
    return plain.startsWith("-----BEGIN ") ? [plain] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function formsOf(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  const plain = [secret.trim(), ...lines.filter((line) => !isFrame(line))];
  const bytes = new TextEncoder().encode(secret);
  const base64 = [bytes.toBase64(), bytes.toBase64({ alphabet: "base64url" })]
    .map((text) => text.replace(/=+$/, ""));
  const escaped = plain.map((text) => JSON.stringify(text).slice(1, -1));
  const all = [...plain, ...escaped, ...base64];
  return all.filter((form) => form.length >= least);
}

/** First and last lines of PEM are the same for all. */
function isFrame(line: string): boolean {
  return /^-----(BEGIN|END) [A-Z0-9 ]+-----$/.test(line);
}
