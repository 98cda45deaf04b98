/** Strings with a fixed format in runbooks. */

import { parsesRange } from "./version_range.ts";
import { matching, quote, scalar } from "./scalars.ts";
import type { LanguageScalar } from "./shape.ts";

/** Name of a runbook. */
export const runbookName: LanguageScalar = matching(
  "a name of lowercase letters, digits and dashes such as rolling-upgrade",
  /^[a-z][a-z0-9-]{0,62}$/,
);

/** Id of a step. */
export const stepId: LanguageScalar = matching(
  "an id of letters, digits, dashes and underscores such as canary-ok",
  /^[A-Za-z][A-Za-z0-9_-]{0,62}$/,
);

/** Name of an input, a constant, a decision or an output. */
export const variableName: LanguageScalar = matching(
  "a name of letters, digits and underscores such as drainTimeout",
  /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
);

/** Name of a group. */
export const groupName: LanguageScalar = matching(
  "a name of letters, digits, dashes and underscores such as workers",
  /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/,
);

/** Name of a module or a check. */
export const dottedName: LanguageScalar = matching(
  "a name with dots such as etcd.snapshot",
  /^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z][A-Za-z0-9-]*)*$/,
);

/** Tag of an approval. */
export const tagName: LanguageScalar = matching(
  "a tag of letters, digits and dashes such as start",
  /^[A-Za-z][A-Za-z0-9-]{0,62}$/,
);

/** Time of the day. */
export const clockTime: LanguageScalar = matching(
  "a time such as 20:00",
  /^([01][0-9]|2[0-3]):[0-5][0-9]$/,
);

/** Name of a time zone. */
export const timeZone: LanguageScalar = scalar(
  "a time zone such as Europe/Berlin",
  { type: "string" },
  (node) => isZone(node.text) ? undefined : `${quote(node)} is not a time zone`,
);

/** A regular expression. */
export const pattern: LanguageScalar = scalar(
  "a regular expression such as [a-z]+",
  { type: "string", format: "regex" },
  (node) =>
    isPattern(node.text)
      ? undefined
      : `${quote(node)} is not a regular expression`,
);

/** A range of versions. */
export const range: LanguageScalar = scalar(
  "a range of versions such as >=1.0.0",
  { type: "string" },
  (node) =>
    parsesRange(node.text)
      ? undefined
      : `${quote(node)} is not a range of versions`,
);

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(`^(?:${text})$`, "u") !== undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
