import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { domain } from "../../../talos.ts";
import {
  etcdPart,
  readSelfPart,
  zoneIn,
} from "../../../workflows/runbooks/node_facts.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";
import { systemHandlers } from "../operations/_system.ts";

const client = (handlers: FakeNode) => fakeNodes({ a: handlers }).nodes.at("a");

Deno.test("readSelfPart tells what a node knows itself", async () => {
  const system = systemHandlers(() => ({ version: "v1.13.0-beta.1" }));
  const text = (spec: unknown) => ({
    resource: { spec: { yamlSpec: JSON.stringify(spec) } },
  });
  const asked: string[] = [];
  const found = await readSelfPart(
    await client({
      ...system,
      async *read({ path }: { readonly path: string }) {
        if (path.includes("efivars")) throw new RpcError("UNKNOWN", "none");
        yield await Promise.resolve({
          bytes: new TextEncoder().encode("b-1\n"),
        });
      },
      get(request: { readonly type: string }) {
        asked.push(request.type);
        if (request.type === `KubeletSpecs.kubernetes.${domain}`) {
          return text({
            image: "registry.example:5000/kubelet:v1.34.1-slim@sha256:00",
          });
        }
        if (request.type === `MachineConfigs.config.${domain}`) {
          return text({ machine: { nodeLabels: { rack: "7" } } });
        }
        return system.get?.(request);
      },
    }),
    { controlPlane: false, wantsLabels: true },
  );
  const booted = asked.filter((type) => type === `SecurityStates.${domain}`);
  assert.equal(booted.length, 1);
  assert.deepEqual(found, {
    reachable: true,
    ready: true,
    stage: "running",
    version: "v1.13.0-beta.1",
    schematic: "",
    customized: false,
    image: "",
    bootId: "b-1",
    bootloader: "grub",
    platform: "metal",
    secureBoot: false,
    kubernetesVersion: "v1.34.1",
    labels: { rack: "7" },
    caps: { lifecycle: true },
    dataDir: "unknown",
  });
});

Deno.test("etcdPart is empty for nodes without a member", () => {
  const none = {
    member: false,
    leader: false,
    learner: false,
    healthy: false,
    voters: 0,
  };
  assert.deepEqual(etcdPart(undefined, "a"), none);
  const facts = {
    members: [
      { id: "1", name: "a", learner: false },
      { id: "2", name: "b", learner: true },
    ],
    healthy: ["1"],
    alarms: [],
    leader: "1",
    doubts: [],
    silent: [],
    readAt: 0,
  };
  const etcd = { facts, memberOf: new Map([["a", "1"], ["b", "2"]]) };
  assert.deepEqual(etcdPart(etcd, "c"), none);
  assert.deepEqual(etcdPart(etcd, "a"), {
    member: true,
    leader: true,
    learner: false,
    healthy: true,
    voters: 1,
  });
  assert.deepEqual(etcdPart(etcd, "b"), {
    member: true,
    leader: false,
    learner: true,
    healthy: false,
    voters: 1,
  });
});

Deno.test("zoneIn is the zone in labels, or nothing", () => {
  assert.equal(zoneIn({ "topology.kubernetes.io/zone": "b" }), "b");
  assert.equal(zoneIn({}), "");
});
