import assert from "node:assert/strict";
import type { RecordOf } from "../../../../workflows/runbooks/journal/record.ts";
import {
  abortRun,
  mayClaim,
} from "../../../../workflows/runbooks/store/abort_run.ts";
import { withFolder } from "../../../_folder.ts";
import { holdRun, makeRun, started } from "./_runs.ts";

const id = "20261120-7k2f";
const at = "2026-11-20T20:00:00.000Z";
const sender = { by: "eve@desk", at };
const now = () => new Date(at);

Deno.test("a run that has ended, or continues, is not aborted", () =>
  withFolder({}, async (runs) => {
    const end = {
      type: "run.end",
      data: { state: "partial", status: 3 },
    } as const;
    const folder = await makeRun(runs, { records: [started, end] });
    await assert.rejects(abortRun({ runs, id, sender, now }), {
      name: "ConfigError",
      message: 'Run "20261120-7k2f" has already finished',
    });
    using _ = await holdRun(folder);
    await assert.rejects(abortRun({ runs, id, sender, now }), {
      name: "LockedError",
    });
  }));

Deno.test("a run may have a claim from when it took one until it gave it back", () => {
  const may = (state?: RecordOf<"lease">["data"]["state"]) =>
    mayClaim({ lease: state === undefined ? undefined : { state } });
  assert.deepEqual(
    ([undefined, "taken", "lost", "claimed"] as const).map(may),
    [false, true, true, true],
  );
  assert.deepEqual(
    (["released", "without", "removed"] as const).map(may),
    [false, false, false],
  );
});
