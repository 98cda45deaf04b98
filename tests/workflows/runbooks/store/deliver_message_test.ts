import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import {
  deliver,
  type Delivery,
} from "../../../../workflows/runbooks/store/deliver_message.ts";
import { takeMessages } from "../../../../workflows/runbooks/store/inbox.ts";
import { readRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { holdRun, makeRun } from "./_runs.ts";

const id = "20261120-7k2f";
const at = "2026-11-20T20:00:00.000Z";
const message = {
  type: "decision",
  verdict: "skip",
  path: "snapshot",
  reason: "by hand",
  by: "eve@desk",
  at,
} as const;

function delivery(runs: string, sleep: Delivery["sleep"]): Delivery {
  return {
    runs,
    id,
    message,
    record: () => ({
      type: "decision",
      path: "snapshot",
      data: { verdict: "skip", reason: "by hand" },
    }),
    now: () => new Date(at),
    sleep,
    signal: new AbortController().signal,
  };
}

const failIfAsked = () => assert.fail("nothing is waited for");

async function decide(runs: string): Promise<string | undefined> {
  const { history } = await readRun(runs, id);
  return history.instances.get("snapshot")?.decision?.verdict;
}

Deno.test("deliver: a message to a stopped run is in its journal", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs);
    assert.equal(await deliver(delivery(runs, failIfAsked)), "written");
    assert.equal(await decide(runs), "skip");
    assert.deepEqual(await takeMessages(folder), []);
  }));

Deno.test("a message that a process left behind is written down instead", () =>
  withFolder({}, async (runs) => {
    const folder = await makeRun(runs);
    const held = await holdRun(folder);
    const sleep = () => Promise.resolve(held[Symbol.dispose]());
    assert.equal(await deliver(delivery(runs, sleep)), "written");
    assert.equal(await decide(runs), "skip");
    assert.deepEqual(await takeMessages(folder), []);
  }));

Deno.test("deliver: an aborted message is not written", () =>
  withFolder({}, async (runs) => {
    await makeRun(runs);
    const record = () => {
      throw new OsctlError("Too late");
    };
    const late = { ...delivery(runs, failIfAsked), record };
    await assert.rejects(deliver(late), { message: "Too late" });
    assert.equal(await decide(runs), undefined);
  }));
