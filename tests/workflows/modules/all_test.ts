import assert from "node:assert/strict";
import { accept, drop, issue } from "../../../workflows/modules/ca_change.ts";
import { etcdRemove } from "../../../workflows/modules/etcd_member.ts";
import type { ClusterEtcd } from "../../../workflows/etcd/etcd_facts.ts";
import type { StepContext } from "../../../workflows/modules/module.ts";
import { onCluster } from "../_step_context.ts";
import { listStaleTrust } from "../../../workflows/modules/stale_trust.ts";

Deno.test("modules: with becomes the input of the operation, without secrets", async () => {
  const nowhere = {} as StepContext; // not looked at
  const ca = { secret: "ca.os", fingerprint: "ab" };
  const cases = [
    [accept, { kind: "talos", ca, comments: "docs" }, {
      kind: "os",
      ca: "ca.os",
      which: null,
      comments: "docs",
    }],
    [issue, { kind: "kubernetes", ca, keepAccepted: "old" }, {
      kind: "kubernetes",
      ca: "ca.os",
      which: null,
      comments: "keep",
    }],
    [drop, { kind: "os", which: "new" }, {
      kind: "os",
      ca: null,
      which: "new",
      comments: "keep",
    }],
  ] as const;
  for (const [module, values, input] of cases) {
    assert.ok(module.kind === "change");
    assert.deepEqual(await module.prepare(nowhere, values), { input });
    assert.equal(module.operation.effect, "write");
    assert.equal(module.operation.idempotency, "converge");
    assert.equal(module.operation.quorum(input), "none");
    assert.equal(module.name, module.operation.name);
  }
});

/** Runs the step; gives what it reports, what it performs, and its output. */
async function remove(
  member: string,
  names: Readonly<Record<string, string>>,
) {
  assert.ok(etcdRemove.kind === "change");
  const members = Object.entries(names).map(([id, name]) => ({
    id,
    name,
    learner: false,
  }));
  const facts = { members, healthy: [], alarms: [], leader: "", silent: [] };
  const readEtcd = () =>
    Promise.resolve({ facts, memberOf: new Map() } as unknown as ClusterEtcd);
  const reported: string[] = [];
  // Nothing else is checked.
  const context = {
    cluster: { readEtcd },
    note: (text: string) => reported.push(text),
  } as unknown as StepContext;
  const prepared = await etcdRemove.prepare(context, { member });
  assert.ok("input" in prepared);
  const { operation = etcdRemove.operation, input, toOutput } = prepared;
  const output = await toOutput?.({ outcome: "done", reason: "" });
  return { reported, performed: [{ [operation.name]: input }], output };
}

const three = {
  "00000000000000aa": "cp-1",
  "00000000000000bb": "cp-2",
  "00000000000000cc": "cp-3",
};

Deno.test("etcd.removeMember does not guess", async () => {
  await assert.rejects(
    () => remove("cp-1", { ...three, "00000000000000dd": "cp-1" }),
    {
      name: "ConfigError",
      message: '"cp-1" is the name of 2 etcd members',
      hint: "Give the id of one; list them with: osctl etcd members",
    },
  );
  await assert.rejects(() => remove("cp-1", {}), {
    name: "OsctlError",
    message: "Cannot read the etcd members",
  });
});

Deno.test("node.collectSupport keeps what a node says in the folder of the run, without secrets", async () => {
  await onCluster({}, async ({ folder, read }, cluster) => {
    const node = "10.5.0.2";
    cluster.nodes[0]!.boot.logs.delete("dashboard");
    const found = await read("node.collectSupport", {}, node);
    assert.match(
      String(found.folder),
      new RegExp(`^${folder}/support-10\\.5\\.0\\.2-\\d{8}T\\d{6}Z$`),
    );
    assert.deepEqual(found.missing, [
      'logs/dashboard.log: no log named "dashboard"',
    ]);
    assert.ok(Number(found.files) > 50);
    const log = await Deno.readTextFile(
      `${found.folder}/logs/machined.log`,
    );
    assert.notEqual(log, "");
    const resources: string[] = [];
    for await (
      const { name } of Deno.readDir(`${found.folder}/resources`)
    ) resources.push(name);
    assert.ok(resources.some((name) => name.startsWith("members.")));
    assert.ok(!resources.some((name) => name.startsWith("machineconfig")));
    assert.ok(!resources.some((name) => /secrets?\./.test(name)));
  });
});

const before = "2020-01-01T00:00:00Z";

function pod(name: string, startTime: string, rest: object = {}) {
  return {
    metadata: { namespace: "default", name },
    spec: { nodeName: "worker-1" },
    status: { startTime, phase: "Running" },
    ...rest,
  };
}

const project = (source: object) => ({
  spec: { volumes: [{}, { projected: { sources: [source] } }] },
});

/** Two of them have a token from before the rotation. */
const podsAround = [
  pod("old", before),
  pod("later", "2100-01-01T00:00:00Z"),
  pod("over", before, { status: { startTime: before, phase: "Succeeded" } }),
  pod("waiting", before, { status: { phase: "Pending" } }),
  pod("with-token", before, project({ serviceAccountToken: {} })),
  pod("with-other", before, project({ configMap: {} })),
  pod("without", before, { spec: { volumes: [] } }),
];

Deno.test("k8s.listStaleTrust looks for pods from before the new CA was made", async () => {
  await onCluster({}, async ({ read, context }) => {
    await read("ca.generate", { kind: "kubernetes" });
    const there = await context();
    assert.ok(listStaleTrust.kind === "read");
    const asked: string[] = [];
    const request = (path: string) => {
      asked.push(path);
      return Promise.resolve({ items: podsAround });
    };
    const steps = listStaleTrust.read({
      ...there,
      cluster: {
        ...there.cluster,
        kubernetes: () => Promise.resolve({ request, [Symbol.dispose]() {} }),
      },
    }, {});
    await steps.next();
    const { value } = await steps.next();
    assert.deepEqual(value, {
      pods: [{
        namespace: "default",
        name: "old",
        node: "worker-1",
        startedAt: before,
      }, {
        namespace: "default",
        name: "with-token",
        node: "",
        startedAt: before,
      }],
      total: 2,
    });
    assert.deepEqual(asked, ["/api/v1/pods"]);
  });
});
