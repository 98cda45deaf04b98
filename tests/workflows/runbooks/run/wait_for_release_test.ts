import assert from "node:assert/strict";
import { waitForRelease } from "../../../../workflows/runbooks/run/wait_for_release.ts";
import { openEventFile } from "../../../../workflows/runbooks/store/event_file.ts";
import { withFolder } from "../../../_folder.ts";
import { event } from "../report/_streams.ts";
import { holdRun, makeRun } from "../store/_runs.ts";

const began = Date.UTC(2026, 10, 20, 19, 30);

function stopping(second: number, node: string) {
  const waiting = [{ node, until: "workers/restart" }];
  return event("run.stopping", second, { data: { waiting } });
}

Deno.test("waitForRelease: reports each reason once, and only since the request", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs, { events: [stopping(0, "old")] });
    const held = await holdRun(folder);
    await using file = await openEventFile(folder, assert.fail);
    await file.add(stopping(10, "w-1"));
    await file.add(event("note", 11, { data: { message: "x" } }));
    const reported: string[] = [];
    const left = await waitForRelease(folder, began + 10_000, {
      note(text) {
        reported.push(text);
        held[Symbol.dispose]();
      },
      signal: new AbortController().signal,
    });
    assert.equal(left, undefined);
    assert.deepEqual(reported, ["stopping after w-1"]);
  }));

Deno.test("waitForRelease: an aborted wait releases the result", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs, { events: [stopping(10, "w-1")] });
    using _ = await holdRun(folder);
    const signal = AbortSignal.abort();
    const note = () => {};
    assert.equal(
      await waitForRelease(folder, began, { note, signal }),
      "stopping after w-1",
    );
    assert.equal(
      await waitForRelease(folder, began + 11_000, { note, signal }),
      "nothing was reported",
    );
  }));
