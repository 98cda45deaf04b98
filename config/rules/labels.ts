import { domain } from "../../talos.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { joinWords, readText } from "./checks.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const annotationBytes = 256 * 1024;
const reserved = new Set(
  ["labels", "annotations", "taints"].map((what) => `${domain}/owned-${what}`),
);

const keyHint =
  "Write NAME or PREFIX/NAME: a name of at most 63 letters, digits, -, _ and ., a prefix that is a lower case DNS name";
const valueHint =
  "Write at most 63 letters, digits, -, _ and ., the first and the last a letter or digit";

/** Labels, annotations and taints must have the form that Kubernetes requires. */
export function* labelRules(root: Cursor): Iterable<Problem> {
  const machine = root.get("machine");
  yield* nodeRules({
    labels: machine.get("nodeLabels"),
    annotations: machine.get("nodeAnnotations"),
    taints: machine.get("nodeTaints"),
  });
}

/** Checks labels, annotations and taints at any location. */
export function* nodeRules(
  given: Readonly<Record<"labels" | "annotations" | "taints", Cursor>>,
): Iterable<Problem> {
  for (const [key, place] of given.labels.entries()) {
    yield* keyRules("Label", key, place);
    yield* valueRules("Label", readText(place), place);
  }
  yield* annotationRules(given.annotations);
  for (const [key, place] of given.taints.entries()) {
    yield* taintRules(key, place);
  }
}

function* annotationRules(annotations: Cursor): Iterable<Problem> {
  let bytes = 0;
  const encoder = new TextEncoder();
  for (const [key, place] of annotations.entries()) {
    bytes += encoder.encode(key + readText(place)).length;
    yield* keyRules("Annotation", key, place);
    if (reserved.has(key)) {
      yield place.error(
        `Annotation "${key}" is managed by the node`,
        "Remove it; the node sets it itself",
      );
    }
  }
  if (bytes > annotationBytes) {
    yield annotations.error(
      `Annotations take ${bytes} bytes, more than the limit of ${annotationBytes}`,
      "Keep large texts elsewhere",
    );
  }
}

function* taintRules(key: string, place: Cursor): Iterable<Problem> {
  yield* keyRules("Taint", key, place);
  const text = readText(place);
  const colon = text.indexOf(":");
  const effect = text.slice(colon + 1);
  if (!effects.includes(effect)) {
    yield place.error(
      `Taint "${key}" has effect "${effect}", which does not exist`,
      `Write EFFECT or VALUE:EFFECT, the effect ${joinWords(effects)}`,
    );
  }
  yield* valueRules("Taint", text.slice(0, Math.max(colon, 0)), place);
}

function* keyRules(
  what: string,
  key: string,
  place: Cursor,
): Iterable<Problem> {
  if (!isLabelKey(key)) {
    yield place.error(`${what} key "${key}" is not valid`, keyHint);
  }
}

function* valueRules(
  what: string,
  value: string,
  place: Cursor,
): Iterable<Problem> {
  if (!isLabelValue(value)) {
    yield place.error(`${what} value "${value}" is not valid`, valueHint);
  }
}

const name = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const subdomain =
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** Reports whether a text can be the name of a Kubernetes object: a lower-case DNS name. */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && subdomain.test(text);
}

/** Reports whether a text is `NAME` or `PREFIX/NAME`; the prefix is a lower-case DNS name. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf("/");
  const prefix = text.slice(0, Math.max(slash, 0));
  return name.test(text.slice(slash + 1)) &&
    (slash < 0 || (prefix.length <= 253 && subdomain.test(prefix)));
}

/** Reports whether a text is empty or has the form of a name, at most 63 characters. */
function isLabelValue(text: string): boolean {
  return text === "" || name.test(text);
}
