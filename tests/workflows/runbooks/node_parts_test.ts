import assert from "node:assert/strict";
import { type RpcCode, RpcError } from "../../../errors.ts";
import { domain } from "../../../dialect.ts";
import {
  etcdPart,
  readDataDir,
  readSelfPart,
  zoneIn,
} from "../../../workflows/runbooks/node_parts.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";
import { systemHandlers } from "../operations/_system.ts";

const client = (handlers: FakeNode) => fakeNodes({ a: handlers }).nodes.at("a");

/** Answers with the names of a folder, or refuses. */
function folders(all: Readonly<Record<string, readonly string[] | RpcCode>>) {
  return {
    async *list({ root }: { readonly root: string }) {
      const names = await Promise.resolve(all[root]);
      if (typeof names === "string") throw new RpcError(names, "no");
      for (const relativeName of names ?? []) yield { relativeName };
    },
  };
}

Deno.test("readDataDir tells empty folders from those with data, and from those it may not see", async () => {
  const etcd = "/var/lib/etcd";
  const cases = [
    ["empty", { [etcd]: [".", etcd] }],
    ["data", { [etcd]: [".", "member"] }],
    ["empty", { [etcd]: "UNKNOWN", "/var/lib": [".", "kubelet"] }],
    ["unknown", { [etcd]: "UNKNOWN", "/var/lib": [".", "etcd"] }],
    ["unknown", {
      [etcd]: "PERMISSION_DENIED",
      "/var/lib": "PERMISSION_DENIED",
    }],
  ] as const;
  for (const [expected, all] of cases) {
    const found = await readDataDir(await client(folders(all)));
    assert.equal(found, expected, JSON.stringify(all));
  }
  const unreadable = {
    async *list() {
      yield await Promise.resolve({ name: "x", error: "input/output error" });
    },
  };
  assert.equal(await readDataDir(await client(unreadable)), "unknown");
  await assert.rejects(
    async () =>
      await readDataDir(await client(folders({ [etcd]: "UNAVAILABLE" }))),
    { code: "UNAVAILABLE" },
  );
});

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
