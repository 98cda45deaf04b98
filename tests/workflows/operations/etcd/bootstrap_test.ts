import assert from "node:assert/strict";
import { RefusedError, RpcError } from "../../../../errors.ts";
import {
  bootstrap,
  type BootstrapInput,
  type EtcdSeen,
} from "../../../../workflows/operations/etcd/bootstrap.ts";
import type { OperationClock } from "../../../../lib/clock.ts";
import { pause } from "../../../../lib/pause.ts";
import { withFolder } from "../../../_folder.ts";
import { fakeContext } from "../_node_context.ts";

const input: BootstrapInput = {
  recoverFrom: null,
  hash: null,
  skipHashCheck: false,
  force: false,
};

const waiting: EtcdSeen = { here: "waiting", members: [], silent: [] };

function refusal(seen: EtcdSeen, changes: Partial<BootstrapInput> = {}) {
  try {
    return bootstrap.plan(seen, { ...input, ...changes });
  } catch (error) {
    assert.ok(error instanceof RefusedError);
    return error.message;
  }
}

Deno.test("one control plane is bootstrapped when no other has etcd", () => {
  const actions = [{ action: "bootstrap etcd" }];
  assert.deepEqual(refusal(waiting), actions);
  assert.deepEqual(refusal({ ...waiting, here: "starting" }), actions);
  assert.deepEqual(refusal({ ...waiting, here: "running" }), []);
  assert.equal(
    refusal({ ...waiting, here: "none" }),
    "The node is not a control plane",
  );
});

Deno.test("a second cluster needs to be forced", () => {
  const second = { ...waiting, members: ["10.0.0.3"] };
  assert.equal(refusal(second), "etcd already exists on 10.0.0.3");
  assert.equal(refusal(second, { force: true }).length, 1);
  const silent = { ...waiting, silent: ["10.0.0.4"] };
  assert.equal(
    refusal(silent),
    "10.0.0.4 does not report whether it has etcd data",
  );
  assert.equal(refusal(silent, { force: true }).length, 1);
});

/** A node whose etcd is in a state. */
function etcdIs(state: string, healthy = true) {
  return {
    serviceList: () => ({
      messages: [{ services: [{ id: "etcd", state, health: { healthy } }] }],
    }),
  };
}

Deno.test("the state of the service tells what became of an attempt", async () => {
  const found = async (state: string, healthy?: boolean) => {
    const { context } = await fakeContext([], 1, etcdIs(state, healthy));
    return await bootstrap.reconcile(context, input, null);
  };
  assert.equal(await found("Preparing"), "not-started");
  assert.equal(await found("Waiting"), "not-started");
  assert.equal(await found("Running", false), "in-progress");
  assert.equal(await found("Running"), "done");
});

/** Sends it to a node that answers with these failures first. */
async function send(...failures: readonly RpcError[]) {
  return await sendAs(input, ...failures);
}

async function sendAs(
  asked: BootstrapInput,
  ...failures: readonly RpcError[]
) {
  let calls = 0;
  let isAsleep = false;
  const { context } = await fakeContext([], 60_000, {
    etcdRecover: () => ({ messages: [{}] }),
    bootstrap() {
      assert.equal(isAsleep, false);
      const failure = failures[calls++];
      if (failure !== undefined) throw failure;
      return { messages: [{}] };
    },
  });
  const clock: OperationClock = {
    ...context.clock,
    async sleep(ms) {
      isAsleep = true;
      await pause(1);
      await context.clock.sleep(ms);
      isAsleep = false;
    },
  };
  const steps: string[] = [];
  const applied = bootstrap.apply({ ...context, clock }, asked, null);
  for await (const { text } of applied) {
    steps.push(text);
  }
  return { calls, steps };
}

Deno.test("a node that is not ready yet is asked again", async () => {
  const early = new RpcError("FAILED_PRECONDITION", "not available yet");
  assert.deepEqual(await send(early), {
    calls: 2,
    steps: ["bootstrapping", "waiting: not available yet"],
  });
});

Deno.test("a node that has data already is checked, not asked again", async () => {
  const late = new RpcError("ALREADY_EXISTS", "not empty");
  assert.equal((await send(late)).calls, 1);
  const other = new RpcError("INTERNAL", "broken");
  await assert.rejects(send(other), { message: "broken" });
});

Deno.test("data that already exists is not taken for what was to be recovered", async () => {
  await withFolder({ "db.snapshot": "pages" }, async (folder) => {
    const asked = { ...input, recoverFrom: `${folder}/db.snapshot` };
    const late = new RpcError("ALREADY_EXISTS", "not empty");
    await assert.rejects(sendAs(asked, late), { message: "not empty" });
    assert.deepEqual((await sendAs(asked)).calls, 1);
    const running = { here: "running", members: [], silent: [] } as const;
    assert.deepEqual(bootstrap.plan(running, input), []);
    assert.throws(
      () => bootstrap.plan(running, asked),
      { name: "RefusedError", message: "etcd already runs with its own data" },
    );
  });
});
