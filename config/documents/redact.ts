/** Redacts documents: a value is shown only if its field is known to be harmless. */

import { fieldAt } from "./shapes.ts";
import {
  type ConfigNode,
  type MapNode,
  type ScalarNode,
  withoutComments,
  withValues,
} from "../tree/node.ts";
import type { Fields, ScalarShape, Shape } from "./schema.ts";

/** Replacement for a secret. */
export const redacted = "******";

/** Reason for redacting a value: its field is a secret, its field accepts any text, or nothing is known about it. */
export type Why = "secret" | "text" | "unknown";

/** Returns the replacement for a redacted value. */
export type Mark = (path: string, text: string, why: Why) => string;

/** Replacement for a redacted value; `note`, such as `changed`, is appended. */
export function formatMark(text: string, why: Why, note?: string): string {
  if (why === "secret") {
    return note === undefined ? redacted : `${redacted} (new)`;
  }
  const { length } = [...text];
  const unit = length === 1 ? "character" : "characters";
  const rest = note === undefined ? "" : `, ${note}`;
  return `(redacted, ${length} ${unit}${rest})`;
}

/**
 * Replaces every value not known to be harmless; empty values and booleans stay, comments are removed.
 *
 * @param fields Description; an unknown kind shows only its identity.
 */
export function redact(
  root: MapNode,
  fields: Fields | undefined,
  mark: Mark = (_, text, why) => formatMark(text, why),
): MapNode {
  const bare = withoutComments(root);
  if (fields !== undefined) return hideFields(bare, fields, "", mark);
  return withValues(
    bare,
    (value, key) =>
      identifying.has(String(key)) && value.kind === "scalar"
        ? openText(value, `/${key}`, mark)
        : hideAll(value, `/${key}`, mark, "unknown"),
  );
}

/** Identity keys of documents. */
const identifying: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "name",
]);

function hide(
  node: ConfigNode,
  shape: Shape | undefined,
  path: string,
  mark: Mark,
): ConfigNode {
  switch (shape?.shape) {
    case "scalar":
      if (node.kind === "scalar") return hideScalar(node, shape, path, mark);
      break;
    case "free":
      if (shape.shown !== undefined) return node;
      break;
    case "list":
    case "map":
      if (shape.shape === "list" && node.kind === "scalar" && shape.loneUntil) {
        return hide(node, shape.of, path, mark);
      }
      if (node.kind === shape.shape) {
        return withValues(
          node,
          (value, key) => hide(value, shape.of, `${path}/${key}`, mark),
        );
      }
      break;
    case "struct":
      if (node.kind === "map") {
        return hideFields(node, shape.fields, path, mark);
      }
  }
  return hideAll(node, path, mark, "unknown");
}

function hideFields(
  node: MapNode,
  fields: Fields,
  path: string,
  mark: Mark,
): MapNode {
  return withValues(node, (value, key) => {
    const at = `${path}/${key}`;
    const field = fieldAt(fields, String(key));
    return field?.secret
      ? hideAll(value, at, mark, "secret")
      : hide(value, field?.shape, at, mark);
  });
}

function hideScalar(
  node: ScalarNode,
  shape: ScalarShape,
  path: string,
  mark: Mark,
): ScalarNode {
  if (shape.shown === "name") return hideAssigned(node, path, mark);
  if (shape.shown === undefined || !isHarmless(node, shape)) {
    return hideOne(node, path, mark, "text");
  }
  return openText(node, path, mark);
}

/** A value that does not match its field may be anything, even a pasted key. */
function isHarmless(node: ScalarNode, shape: ScalarShape): boolean {
  const { text } = node;
  if (shape.values !== undefined) {
    const known = shape.values.map((value) => value.toLowerCase());
    return text === "" || known.includes(text.toLowerCase());
  }
  if ("fault" in shape.read(node)) return false;
  if (shape.name === "base64 text") {
    return text === "" || isCertificate(decodeBase64(text));
  }
  return isCertificate(text) || !/\n|-----BEGIN /.test(text);
}

/** Only certificates: a key is easily pasted in the wrong place. */
function isCertificate(text: string): boolean {
  return /^(?:\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----)+\s*$/
    .test(text);
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(text));
}

/**
 * A public text, except for credentials in a URL. The scheme is not searched: in long texts without one that
 * would take quadratic time.
 */
function openText(node: ScalarNode, path: string, mark: Mark): ScalarNode {
  // Most texts are not URLs.
  if (!node.text.includes("://")) return node;
  const text = node.text
    .replace(
      /(?<=:\/\/)\S+(?=@)/g,
      (user) => mark(`${path}@`, user, "secret"),
    )
    .replace(
      /(:\/\/[^\s?#]*[?#])(\S+)/g,
      (_, place, query) => `${place}${mark(`${path}?`, query, "secret")}`,
    );
  return text === node.text ? node : { ...node, text, plain: false };
}

/** `NAME=value`; base64 padding is no assignment. */
function hideAssigned(node: ScalarNode, path: string, mark: Mark): ScalarNode {
  const [, name, value] =
    /^(-{0,2}[A-Za-z_][\w.-]*)=([^=].*)$/s.exec(node.text) ?? [];
  if (name === undefined || value === undefined) {
    return hideOne(node, path, mark, "text");
  }
  // The index in its list is irrelevant: other items come and go.
  const place = `${path.slice(0, path.lastIndexOf("/"))}/${name}`;
  return { ...node, text: `${name}=${mark(place, value, "text")}` };
}

/** Replaces every value; empty values and booleans stay. */
export function hideAll(
  node: ConfigNode,
  path: string,
  mark: Mark,
  why: Why,
): ConfigNode {
  if (node.kind === "scalar") return hideOne(node, path, mark, why);
  return withValues(
    node,
    (value, key) => hideAll(value, `${path}/${key}`, mark, why),
  );
}

const bareWords: ReadonlySet<string> = new Set([
  "true",
  "false",
  "null",
  "Null",
  "NULL",
  "~",
]);

function hideOne(
  node: ScalarNode,
  path: string,
  mark: Mark,
  why: Why,
): ScalarNode {
  const { text, plain } = node;
  const isBare = plain && why !== "secret" && bareWords.has(text);
  if (text === "" || isBare) return node;
  return { ...node, text: mark(path, text, why), plain: false };
}
