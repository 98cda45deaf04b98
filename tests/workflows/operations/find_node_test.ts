import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { Site } from "../../../workflows/operations/operation.ts";
import { viewCluster } from "../../../workflows/operations/cluster_view.ts";
import { untilSettled } from "../../../workflows/operations/wait_ready.ts";
import { newPlaceOf } from "../../../workflows/operations/find_node.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";
import { members } from "../../commands/_machine.ts";
import { walked } from "./_walk.ts";

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

function named(hostname: string): FakeNode {
  return { hostname: () => ({ messages: [{ hostname }] }) };
}

function gone(): never {
  throw new RpcError("UNAVAILABLE", "gone");
}

const ready: FakeNode = {
  ...named("w"),
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
async function site(nodes: Readonly<Record<string, FakeNode>>): Promise<Site> {
  const { nodes: opened } = fakeNodes({
    "": members({ w: "worker", c1: "controlplane", c2: "controlplane" }),
    w: { read: gone, get: gone, version: gone },
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

Deno.test("newPlaceOf finds a node at the address that a control plane lists for its name", async () => {
  const found = await newPlaceOf(
    await site({ c1: { list: gone }, c2: listing("x"), x: named("w") }),
  );
  assert.equal(found?.address, "x");
  assert.equal(found?.client.node, "x");
});

Deno.test("newPlaceOf finds nothing where the list is as it was, or another node answers", async () => {
  const silent = { c1: { list: gone }, c2: { list: gone } };
  assert.equal(await newPlaceOf(await site(silent)), undefined);
  const same = { c1: listing("w"), c2: listing("w") };
  assert.equal(await newPlaceOf(await site(same)), undefined);
  const other = { ...same, c2: listing("x"), x: named("w2") };
  assert.equal(await newPlaceOf(await site(other)), undefined);
  const away = { ...same, c2: listing("x"), x: { hostname: gone } };
  assert.equal(await newPlaceOf(await site(away)), undefined);
});

Deno.test("newPlaceOf knows nothing of a node that was never listed, or of no cluster", async () => {
  const place = await site({});
  assert.equal(await newPlaceOf({ ...place, node: "y" }), undefined);
  const lost = await site({ "": { list: gone } });
  assert.equal(await newPlaceOf(lost), undefined);
});

Deno.test("a node that comes back at another address is seen to be ready there", async () => {
  const moved = await site({ c1: listing("x"), x: ready });
  const { steps, verdict } = await walked(
    untilSettled(moved, { bootId: "1", reboots: true }),
  );
  assert.deepEqual(steps, [
    "the node does not answer: gone",
    "the node is at x now",
  ]);
  assert.deepEqual(verdict, {
    outcome: "done",
    reason: "ready, v1.12.1, at x now",
  });
});
