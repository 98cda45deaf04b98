import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import {
  askUnconfigured,
  judge,
  untilReady,
} from "../../../workflows/operations/wait_ready.ts";
import { fakeContext } from "./_node_context.ts";
import { runWalk } from "./_run_operation.ts";
import { viewCluster } from "../../../workflows/operations/cluster_view.ts";
import type { NodeContext } from "../../../workflows/operations/operation.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";
import { members } from "../../commands/_machine.ts";

const ready: MachineState = {
  bootId: "2",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

const waits = { bootId: "1", reboots: true };

Deno.test("judge takes another boot that is ready for done", () => {
  assert.deepEqual(judge(ready, waits, false).verdict, {
    outcome: "done",
    reason: "ready, v1.12.1",
  });
});

Deno.test("judge names what is still missing", () => {
  const missing = (state: Partial<MachineState>, wasAway = false) =>
    judge({ ...ready, ...state }, waits, wasAway).missing;
  assert.equal(
    missing({ bootId: "1", stage: "rebooting" }),
    "the node has not rebooted yet (stage rebooting)",
  );
  assert.equal(
    missing({ stage: "booting", ready: false, unmet: ["time: not synced"] }),
    "stage booting (time: not synced)",
  );
  assert.equal(missing({ ready: false }), "stage running");
});

Deno.test("judge takes having been away for another boot when the identity may not be read", () => {
  const state = { ...ready, bootId: undefined };
  assert.equal(judge(state, waits, false).verdict, undefined);
  assert.equal(judge(state, waits, true).verdict?.outcome, "done");
});

Deno.test("judge calls an old version in a new boot rolled back", () => {
  const wanted = { ...waits, version: "v1.13.0" };
  assert.deepEqual(judge(ready, wanted, false).verdict, {
    outcome: "rolled-back",
    reason: "the node came back with v1.12.1, not v1.13.0",
  });
});

/** Runs a wait against a node whose looks are given one by one; the last one stays. */
async function settle(
  looks: readonly (Partial<MachineState> | Error)[],
  limitMs = 600_000,
) {
  const { context } = await fakeContext(
    looks.map((look) => look instanceof Error ? look : { ...ready, ...look }),
    limitMs,
  );
  const steps: string[] = [];
  const waiting = untilReady(context, waits);
  while (true) {
    const { done, value } = await waiting.next();
    if (done) return { steps, ...value };
    steps.push(value.text);
  }
}

const away = new ConnectError("refused", "Cannot connect");

Deno.test("a node that goes and comes back is done", async () => {
  assert.deepEqual(
    await settle([{ bootId: "1", stage: "rebooting" }, away, away, {}]),
    { steps: ["rebooting"], outcome: "done", reason: "ready, v1.12.1" },
  );
});

Deno.test("a node that stays away never returned", async () => {
  const { outcome, reason } = await settle([{ bootId: "1" }, away], 60_000);
  assert.deepEqual([outcome, reason], [
    "never-returned",
    "the node does not answer: Cannot connect",
  ]);
});

Deno.test("a node that has come back without its configuration is reported as such when the time is up", async () => {
  const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });
  const { context } = await fakeContext([ready, away], 5_000, {}, version);
  const { verdict } = await runWalk(
    untilReady(context, { ...waits, bootId: "2" }),
  );
  assert.deepEqual(verdict, {
    outcome: "never-returned",
    reason: "the node lost its configuration and is in maintenance mode",
  });
});

Deno.test("a node that continues running never rebooted, long before the time is up", async () => {
  const { outcome } = await settle([{ bootId: "1" }]);
  assert.equal(outcome, "never-rebooted");
});

Deno.test("a node on which an installer runs is not abandoned, and one that was unavailable for a moment is", async () => {
  const upgrading = { bootId: "1", stage: "upgrading" };
  const slow = await settle([...Array(600).fill(upgrading), away, {}]);
  assert.equal(slow.outcome, "done");
  const blip = await settle([{ bootId: "1" }, away, { bootId: "1" }]);
  assert.equal(blip.outcome, "never-rebooted");
});

Deno.test("a node that does not get ready is reported with what is missing", async () => {
  const unready = { ready: false, unmet: ["services: kubelet not healthy"] };
  assert.deepEqual(await settle([unready], 60_000), {
    steps: ["stage running (services: kubelet not healthy)"],
    outcome: "timed-out",
    reason: "stage running (services: kubelet not healthy)",
  });
});

Deno.test("a node that does not let us look ends the wait at once", async () => {
  const refused = new RpcError("PERMISSION_DENIED", "not authorized");
  const { outcome, reason } = await settle([refused]);
  assert.deepEqual([outcome, reason], [
    "failed",
    "the node refused the request: not authorized",
  ]);
});

Deno.test("a look that the end of the time cuts leaves what was seen before", async () => {
  const late = new AbortController();
  let looks = 0;
  const version = () => {
    if (++looks === 1) return Promise.reject(away);
    late.abort();
    return Promise.reject(late.signal.reason);
  };
  const { context } = await fakeContext([ready], Infinity, { version });
  const waiting = untilReady({ ...context, signal: late.signal }, waits);
  let ended = await waiting.next();
  while (!ended.done) ended = await waiting.next();
  assert.deepEqual(ended.value, {
    outcome: "never-returned",
    reason: "the node does not answer: Cannot connect",
  });
});

const clock = { now: () => 0, sleep: () => Promise.resolve() };

/** A list in which the node `w` has an address. */
function listing(address: string): FakeNode {
  const spec = { addresses: [address], hostname: "w", machineType: "worker" };
  return {
    async *list() {
      yield await Promise.resolve({
        resource: { spec: { yamlSpec: JSON.stringify(spec) } },
      });
    },
  };
}

function makeNamed(hostname: string): FakeNode {
  return { hostname: () => ({ messages: [{ hostname }] }) };
}

function gone(): never {
  throw new RpcError("UNAVAILABLE", "gone");
}

const readyNode: FakeNode = {
  ...makeNamed("w"),
  async *read() {
    yield await Promise.resolve({ bytes: new TextEncoder().encode("2\n") });
  },
  get() {
    const spec = { stage: "running", status: { ready: true } };
    return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
  },
  version: () => ({ messages: [{ version: { tag: "v1.12.1" } }] }),
};

/** The worker `w`, as two control planes list it now and at its new address. */
async function context(
  nodes: Readonly<Record<string, FakeNode>>,
): Promise<NodeContext> {
  const { nodes: opened } = fakeNodes({
    "": members({ w: "worker", c1: "controlplane", c2: "controlplane" }),
    w: { read: gone, get: gone, version: gone },
    "bare w": { version: gone },
    ...nodes,
  });
  const client = await opened.at("w");
  return {
    node: "w",
    client,
    cluster: viewCluster(opened, clock),
    signal: new AbortController().signal,
    clock,
  };
}

/** Waits for a node that is away, until it is ready or the time is up. */
async function waitForMoved(
  nodes: Readonly<Record<string, FakeNode>>,
  changes: Partial<NodeContext> = {},
) {
  const late = new AbortController();
  let looks = 0;
  const sleep = () => {
    if (++looks === 10) late.abort();
    return Promise.resolve();
  };
  const { signal } = late;
  const timed = { ...await context(nodes), clock: { ...clock, sleep }, signal };
  return await runWalk(
    untilReady({ ...timed, ...changes }, { bootId: "1", reboots: true }),
  );
}

Deno.test("untilReady finds a node at the address that a control plane lists for its name", async () => {
  const nodes = { c1: { list: gone }, c2: listing("x"), x: readyNode };
  const { steps, verdict } = await waitForMoved(nodes);
  assert.deepEqual(steps, ["rebooting", "the node is now at x"]);
  assert.deepEqual(verdict, {
    outcome: "done",
    reason: "ready, v1.12.1, now at x",
  });
});

Deno.test("untilReady looks nowhere else if the list is as it was, another node answers or the node was never listed", async () => {
  const same = { c1: listing("w"), c2: listing("w") };
  for (
    const [nodes, changes] of [
      [{ c1: { list: gone }, c2: { list: gone } }],
      [same],
      [{ ...same, c2: listing("x"), x: makeNamed("w2") }],
      [{ ...same, c2: listing("x"), x: { hostname: gone } }],
      [{ "": { list: gone } }],
      [{ "bare y": { version: gone } }, { node: "y" }],
    ] as [Record<string, FakeNode>, Partial<NodeContext>?][]
  ) {
    const { steps, verdict } = await waitForMoved(nodes, changes);
    assert.deepEqual(steps, ["rebooting"]);
    assert.deepEqual(verdict, {
      outcome: "never-returned",
      reason: "the node does not answer: gone",
    });
  }
});

async function ask(version: () => unknown) {
  return await askUnconfigured(
    (await fakeContext([], Infinity, {}, version)).context,
  );
}

Deno.test("a node without a configuration tells strangers its version, or that it does not", async () => {
  const messages = [{ version: { tag: "v1.12.1" } }];
  assert.deepEqual(await ask(() => ({ messages })), { version: "v1.12.1" });
  const shy = new RpcError("UNIMPLEMENTED", "no");
  assert.deepEqual(await ask(() => Promise.reject(shy)), { version: "" });
});

Deno.test("a node that lets no strangers in, or cannot be reached, is none of them", async () => {
  for (
    const failure of [
      new ConnectError("refused", "Cannot connect"),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    ]
  ) {
    assert.deepEqual(await ask(() => Promise.reject(failure)), { failure });
  }
  const bug = new TypeError("a bug");
  await assert.rejects(ask(() => Promise.reject(bug)), bug);
});
