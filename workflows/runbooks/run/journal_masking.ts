/** Hiding secrets in the journal of a run. */

import { type Masker, maskValue } from "../../../config/masker.ts";
import type { RecordType } from "../journal/record.ts";
import type { RunJournal } from "../journal/writer.ts";

/** Records that are compared with what nodes say later: they hold handles, and stay as they are. */
const compared: ReadonlySet<RecordType> = new Set(["run.start", "intent"]);

/** Hides secrets in what is written down. */
export function hideInJournal(
  { append }: RunJournal,
  mask: Masker["mask"],
): RunJournal {
  return {
    append: (record) =>
      record.d === undefined || compared.has(record.t)
        ? append(record)
        : append({ ...record, d: maskValue(record.d, mask) }),
  };
}
