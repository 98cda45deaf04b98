import assert from "node:assert/strict";
import { signalOf } from "../../../../commands/runbook/_run/link.ts";
import { quick, withRunHome } from "../_home.ts";

Deno.test("signalOf ends calls by an interrupt only where signals can be taken over later", () => {
  const ended = new AbortController();
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const before = signalOf({ signal }, ended.signal);
  const claimed = signalOf({ signal, claimSignals() {} }, ended.signal);
  interrupt.abort();
  assert.deepEqual([before.aborted, claimed.aborted], [false, true]);
  ended.abort();
  assert.ok(before.aborted);
});

Deno.test("openLink reaches the nodes through the endpoints of the context, and fails when there are none", async () => {
  await withRunHome(async ({ osctl, write, ids }) => {
    const file = await write(quick);
    const line = ["runbook", "run", file, "--endpoints", "127.0.0.1:1"];
    const { status, err } = await osctl(line);
    assert.equal(status, 1, err);
    assert.deepEqual(await ids(), []);
  });
});
