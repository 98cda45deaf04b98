import assert from "node:assert/strict";
import { eventTypePrefix } from "../../../talos.ts";
import { RpcError } from "../../../errors.ts";
import { Code } from "../../../transport/gen/common.ts";
import {
  SequenceEvent,
  SequenceEvent_Action as Action,
} from "../../../transport/gen/machine_events.ts";
import { untilBegun } from "../../../workflows/operations/wait_begun.ts";
import { fakeContext, type Glance } from "./_node_context.ts";
import { runWalk } from "./_run_operation.ts";

const running = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

const away = new RpcError("UNAVAILABLE", "gone");

/** An event of a sequence that an actor asked for. */
function sequenceEvent(actorId: string, action: Action, code?: Code) {
  const error = code === undefined ? undefined : { code, message: "locked" };
  const value = SequenceEvent.encode(
    SequenceEvent.fromPartial({
      sequence: "reset",
      action,
      ...error && { error },
    }),
  ).finish();
  const typeUrl = `${eventTypePrefix}machine.SequenceEvent`;
  return { id: actorId, actorId, data: { typeUrl, value } };
}

/** Asks a node for a reset. */
async function begun(
  glances: readonly Glance[],
  events: readonly ReturnType<typeof sequenceEvent>[] = [],
) {
  const { context, elapsedMs } = await fakeContext(glances, 600_000, {
    async *events() {
      yield* await Promise.resolve(events);
    },
  });
  const { verdict } = await runWalk(untilBegun(context, {
    stage: "resetting",
    bootId: "1",
    async ask() {
      await new Promise((resolve) => setTimeout(resolve, 0));
      return "me";
    },
  }));
  return { verdict, waitedMs: elapsedMs() };
}

Deno.test("a node has begun what its events or its stage show", async () => {
  const start = sequenceEvent("me", Action.START);
  assert.equal((await begun([running], [start])).verdict, undefined);
  const resetting = { ...running, stage: "resetting" };
  assert.equal((await begun([running, running, resetting])).verdict, undefined);
});

Deno.test("a node that says that it is at something else has refused it", async () => {
  const { verdict } = await begun([running], [
    sequenceEvent("other", Action.START),
    sequenceEvent("me", Action.NOOP, Code.LOCKED),
  ]);
  assert.deepEqual([verdict?.outcome, verdict?.code], ["refused", "locked"]);
});

Deno.test("silence, another boot, another stage and a node that runs on leave it in doubt", async () => {
  const cases = [
    [away, "it does not answer any more"],
    [{ ...running, bootId: "2" }, "it has rebooted"],
    [{ ...running, stage: "rebooting" }, "its stage is rebooting"],
    [running, "its stage is running"],
  ] as const;
  for (const [glance, seen] of cases) {
    const { verdict, waitedMs } = await begun([running, glance]);
    assert.deepEqual([verdict?.outcome, verdict?.reason], [
      "in-doubt",
      `the node took the request, but was not seen to begin it: ${seen}`,
    ]);
    assert.ok(waitedMs <= 80_000, `${waitedMs}`);
  }
});
