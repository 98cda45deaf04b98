/** Documents without what may be secret: a value is shown only where its field is known to be harmless. */

import { fieldAt } from "./shapes.ts";
import {
  type ConfigNode,
  type MapNode,
  type ScalarNode,
  uncommented,
  withValues,
} from "../tree/node.ts";
import type { Fields, ScalarShape, Shape } from "./schema.ts";

/** What is in the place of a secret. */
export const redacted = "******";

/**
 * Why a value is not shown: its field is a secret, its field takes any text, or nothing is known
 * about it.
 */
export type Why = "secret" | "text" | "unknown";

/** Says what to write in the place of a value that is not shown. */
export type Mark = (path: string, text: string, why: Why) => string;

/** Text in the place of a value that is hidden; `note`, such as `changed`, is added to it. */
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
 * Replaces every value that is not known to be harmless; empty ones and truth values stay, comments
 * are omitted.
 *
 * @param fields Description; of a kind that is not known only its identity is shown.
 */
export function redact(
  root: MapNode,
  fields: Fields | undefined,
  mark: Mark = (_, text, why) => formatMark(text, why),
): MapNode {
  const bare = uncommented(root);
  if (fields !== undefined) return hideFields(bare, fields, "", mark);
  return withValues(
    bare,
    (value, key) =>
      identifying.has(String(key)) && value.kind === "scalar"
        ? openText(value, `/${key}`, mark)
        : hideAll(value, `/${key}`, mark, "unknown"),
  );
}

/** Keys of which every document has some, and that say which one it is. */
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

/** What does not fit its field may be anything, so may be what looks like a key. */
function isHarmless(node: ScalarNode, shape: ScalarShape): boolean {
  const { text } = node;
  if (shape.values !== undefined) {
    const known = shape.values.map((value) => value.toLowerCase());
    return text === "" || known.includes(text.toLowerCase());
  }
  if ("fault" in shape.read(node)) return false;
  if (shape.name === "base64 text") {
    return text === "" || isCertificate(decoded(text));
  }
  return isCertificate(text) || !/\n|-----BEGIN /.test(text);
}

/** Certificates, and nothing beside them: a key is pasted in the wrong place easily. */
function isCertificate(text: string): boolean {
  return /^(?:\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----)+\s*$/
    .test(text);
}

function decoded(text: string): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(text));
}

/**
 * A text for everybody, apart from what a URL in it says to get in. The scheme is not looked for: in long texts without
 * one that would take time with the square of their length.
 */
function openText(node: ScalarNode, path: string, mark: Mark): ScalarNode {
  // Most texts are no URL.
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

/** `NAME=value`; the equals signs at the end of base64 have no value behind them. */
function hideAssigned(node: ScalarNode, path: string, mark: Mark): ScalarNode {
  const [, name, value] =
    /^(-{0,2}[A-Za-z_][\w.-]*)=([^=].*)$/s.exec(node.text) ?? [];
  if (name === undefined || value === undefined) {
    return hideOne(node, path, mark, "text");
  }
  // Where it is in its list says nothing: others come and go.
  const place = `${path.slice(0, path.lastIndexOf("/"))}/${name}`;
  return { ...node, text: `${name}=${mark(place, value, "text")}` };
}

/** Replaces every value; empty ones and truth values stay. */
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
