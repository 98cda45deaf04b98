import assert from "node:assert/strict";
import {
  failingCheck,
  type TrialCheck,
} from "../../../workflows/configuration/checks.ts";
import { domain } from "../../../talos.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

async function failing(
  names: readonly TrialCheck[],
  node: FakeNode,
): Promise<string | undefined> {
  const { nodes } = fakeNodes({ a: node });
  return await failingCheck(await nodes.at("a"), names);
}

function etcd(leader: bigint, errors: readonly string[] = []): FakeNode {
  const memberStatus = { leader, errors };
  return { etcdStatus: () => ({ messages: [{ memberStatus }] }) };
}

function kubelet(state: string, healthy: boolean): FakeNode {
  const services = [{ id: "kubelet", state, health: { healthy } }];
  return { serviceList: () => ({ messages: [{ services }] }) };
}

function machine(stage: string, ready: boolean): FakeNode {
  const status = { ready, unmetConditions: [{ name: "time", reason: "late" }] };
  return {
    async *read() {
      yield await Promise.resolve({ bytes: new TextEncoder().encode("b1") });
    },
    get: ({ type }: { type: string }) => {
      assert.equal(type, `MachineStatuses.runtime.${domain}`);
      const yamlSpec = JSON.stringify({ stage, status });
      return { resource: { spec: { yamlSpec } } };
    },
    version: () => ({ messages: [{ version: { tag: "v1.12.0" } }] }),
  };
}

Deno.test("etcd is well with a leader and without errors", async () => {
  assert.equal(await failing(["etcd"], etcd(7n)), undefined);
  assert.equal(await failing(["etcd"], etcd(0n)), "etcd has no leader");
  assert.equal(
    await failing(["etcd"], etcd(7n, ["NOSPACE"])),
    "etcd: NOSPACE",
  );
});

Deno.test("kubelet is well when it runs and is healthy", async () => {
  assert.equal(await failing(["kubelet"], kubelet("Running", true)), undefined);
  assert.equal(
    await failing(["kubelet"], kubelet("Running", false)),
    "kubelet is not healthy",
  );
  assert.equal(
    await failing(["kubelet"], kubelet("Failed", false)),
    "kubelet is not running",
  );
});

Deno.test("a node is well when it calls itself ready", async () => {
  assert.equal(await failing(["ready"], machine("running", true)), undefined);
  assert.equal(
    await failing(["ready"], machine("running", false)),
    "the node is not ready: time: late",
  );
});

Deno.test("the first check that fails is reported, and no checks find nothing", async () => {
  const node = { ...etcd(0n), ...kubelet("Failed", false) };
  assert.equal(
    await failing(["kubelet", "etcd"], node),
    "kubelet is not running",
  );
  assert.equal(await failing([], {}), undefined);
});
