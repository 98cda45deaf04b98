import assert from "node:assert/strict";
import { RefusedError } from "../../../../errors.ts";
import { reboot } from "../../../../workflows/operations/node/reboot.ts";
import { fakeContext } from "../_node_context.ts";

const state = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

Deno.test("a reboot is known by the boot it ends", () => {
  assert.deepEqual(reboot.plan(state, { mode: "default" }), [{
    action: "reboot",
  }]);
  assert.deepEqual(reboot.key(state, { mode: "default" }), { bootId: "1" });
  const hidden = { ...state, bootId: undefined };
  assert.deepEqual(reboot.key(hidden, { mode: "default" }), { bootId: null });
});

Deno.test("a forced reboot is refused where the node would reboot as usual", () => {
  const old = { ...state, version: "v1.11.6" };
  assert.throws(
    () => reboot.plan(old, { mode: "force" }),
    new RefusedError(
      "--mode force needs v1.12 or later, and the node runs v1.11.6",
    ),
  );
  const planned = [{ action: "reboot" }];
  assert.deepEqual(reboot.plan(old, { mode: "powercycle" }), planned);
  assert.deepEqual(reboot.plan(state, { mode: "force" }), planned);
});

Deno.test("a reboot is sent once, in the mode that is requested", async () => {
  const modes: unknown[] = [];
  const { context } = await fakeContext([state], 60_000, {
    reboot({ mode }) {
      modes.push(mode);
      return { messages: [{ actorId: "x" }] };
    },
  });
  for (const mode of ["default", "powercycle", "force"] as const) {
    const steps = reboot.apply(context, { mode }, { bootId: "1" });
    assert.deepEqual((await steps.next()).value, {
      text: "the node is rebooting (actor x)",
    });
    assert.equal((await steps.next()).done, true);
  }
  assert.deepEqual(modes, [0, 1, 2]);
});

Deno.test("a reboot is done when another boot is ready", async () => {
  const { context } = await fakeContext(
    [state, { ...state, bootId: "2" }],
    60_000,
  );
  const waiting = reboot.verify(context, { mode: "default" }, { bootId: "1" });
  assert.equal((await waiting.next()).done, false);
  assert.deepEqual((await waiting.next()).value, {
    outcome: "done",
    reason: "ready, v1.12.1",
  });
});
