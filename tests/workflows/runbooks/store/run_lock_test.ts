import assert from "node:assert/strict";
import {
  isHeld,
  lockRun,
} from "../../../../workflows/runbooks/store/run_lock.ts";
import { withFolder } from "../../../_folder.ts";

Deno.test("a run is held while it is locked, and by one at a time", () =>
  withFolder({}, async (folder) => {
    assert.equal(await isHeld(folder), false);
    const lock = await lockRun(folder, "r1");
    assert.equal(await isHeld(folder), true);
    await assert.rejects(lockRun(folder, "r1"), {
      name: "LockedError",
      message: 'Run "r1" is running in another process',
    });
    lock[Symbol.dispose]();
    assert.equal(await isHeld(folder), false);
    using _ = await lockRun(folder, "r1");
  }));
