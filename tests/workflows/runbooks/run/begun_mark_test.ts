import assert from "node:assert/strict";
import { writeJournal } from "../../../../workflows/runbooks/journal/writer.ts";
import {
  markingBegun,
  refuseEmptied,
} from "../../../../workflows/runbooks/run/begun_mark.ts";
import { withFolder } from "../../../_folder.ts";
import { ticking } from "../journal/_journals.ts";

Deno.test("a journal that was emptied is told from one that never had a record", () =>
  withFolder({}, async (folder) => {
    const path = `${folder}/journal.jsonl`;
    await refuseEmptied(path, "a");
    const end = { seq: 0, checksum: "00000000" };
    const store = {
      write: () => Promise.resolve(),
      sync: () => Promise.resolve(),
    };
    const journal = markingBegun(writeJournal(store, end, ticking()), folder);
    await refuseEmptied(path, "a");
    await journal.append({ t: "run.start", d: {} });
    await assert.rejects(refuseEmptied(path, "a"), {
      name: "ConfigError",
      message:
        `Cannot read journal "${path}": it is empty, and run "a" was begun`,
    });
  }));
