/** Hiding secrets in what leaves a run beside its events. */

import type { OsctlError } from "../../../errors.ts";
import type { RunJournal } from "../../../workflows/runbooks/journal/writer.ts";
import type {
  Details,
  RecordType,
} from "../../../workflows/runbooks/journal/record.ts";

/** Hides secrets in a text. */
export type Mask = (text: string) => string;

/**
 * Hides secrets in anything made of JSON: stars stand inside of strings only.
 *
 * @param value The value.
 * @param mask Hides secrets in a text.
 */
export function withoutSecrets<T>(value: T, mask: Mask): T {
  const text = JSON.stringify(value);
  const masked = mask(text);
  // It has the shape it had.
  return masked === text ? value : JSON.parse(masked) as T;
}

/**
 * Hides secrets in the texts of an error and of what caused it.
 *
 * @param error What was thrown; changed in place, so that it keeps its class.
 * @param mask Hides secrets in a text.
 * @returns The error.
 */
export function hideInError(error: unknown, mask: Mask): unknown {
  let at = error;
  for (const seen = new Set(); at instanceof Error && !seen.has(at);) {
    seen.add(at);
    at.message = mask(at.message);
    if (at.stack !== undefined) at.stack = mask(at.stack);
    const { hint } = at as Partial<OsctlError>;
    if (hint !== undefined) Object.assign(at, { hint: mask(hint) });
    at = at.cause;
  }
  return error;
}

/** Records that are compared with what nodes say later: they hold handles, and stay as they are. */
const compared: ReadonlySet<RecordType> = new Set(["run.start", "intent"]);

/**
 * Hides secrets in what is written down.
 *
 * @param journal The journal.
 * @param mask Hides secrets in a text.
 */
export function hideInJournal(
  { append }: RunJournal,
  mask: Mask,
): RunJournal {
  return {
    append: (record) =>
      record.d === undefined || compared.has(record.t)
        ? append(record)
        : append({ ...record, d: withoutSecrets<Details>(record.d, mask) }),
  };
}
