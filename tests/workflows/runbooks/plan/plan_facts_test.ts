import assert from "node:assert/strict";
import {
  factsUsed,
  hashFacts,
  hashRunbook,
} from "../../../../workflows/runbooks/plan/plan_facts.ts";
import { change, head, loadScope, node, toFacts } from "./_plan_inputs.ts";

const modules = [
  change("touch", { input: { x: { type: "any", summary: "X" } } }),
];

Deno.test("a plan rests on the facts that conditions, groups and functions look at", async () => {
  const inner = `${head("inner")}
per: node
steps: [{ id: a, when: node.stage == 'running', run: touch }]
`;
  const { runbook } = await loadScope(
    `
groups:
  a: { labels: { x: y } }
  b: { where: "node.ready", order: [zoneRoundRobin] }
steps:
  - id: all
    forEach: a
    steps:
      - { id: u, use: ./inner.yaml }
      - { id: x, run: touch, with: { x: "\${{ targetImage(node, 'keep', 'v1.13.6') }}" } }
  - { id: s, assert: { that: "groups.b.all(n, n.bootloader == 'grub')", message: "\${{ groups.a[0].kubernetesVersion }}" } }
`,
    { modules, files: { "inner.yaml": inner } },
  );
  assert.deepEqual(factsUsed(runbook), [
    "address",
    "bootloader",
    "customized",
    "image",
    "kubernetesVersion",
    "labels",
    "platform",
    "reachable",
    "ready",
    "role",
    "schematic",
    "secureBoot",
    "stage",
    "version",
    "zone",
  ]);
});

Deno.test("a hash changes with a fact that is checked, not with others nor with who leads etcd", async () => {
  const { runbook } = await loadScope(
    `
groups: { all: { where: node.etcd.member || node.labels.size() > 5 } }
steps: [{ id: all, forEach: all, steps: [{ id: a, run: touch }] }]
`,
    { modules },
  );
  const hashPlanFacts = async (facts: Parameters<typeof node>[1]) => {
    const hashes = await hashFacts(
      runbook,
      toFacts([node("cp-2", facts), node("cp-3")]),
      new Set(["cp-2"]),
    );
    assert.deepEqual(Object.keys(hashes), ["", "cp-2"]);
    return hashes["cp-2"];
  };
  const before = await hashPlanFacts({ labels: { a: "1", b: "2" } });
  const { etcd } = node("cp-2");
  assert.match(before ?? "", /^[0-9a-f]{64}$/);
  assert.equal(await hashPlanFacts({ labels: { b: "2", a: "1" } }), before);
  assert.equal(
    await hashPlanFacts({ labels: { a: "1", b: "2" }, bootId: "other" }),
    before,
  );
  assert.equal(
    await hashPlanFacts({
      labels: { a: "1", b: "2" },
      etcd: { ...etcd, leader: true },
    }),
    before,
  );
  for (
    const facts of [
      { version: "v1.13.5" },
      { reachable: false },
      { labels: { a: "1", b: "3" } },
      { labels: { a: "1", b: "2" }, etcd: { ...etcd, learner: true } },
    ]
  ) {
    assert.notEqual(
      await hashPlanFacts({ labels: { a: "1", b: "2" }, ...facts }),
      before,
    );
  }
});

Deno.test("hashRunbook distinguishes runbooks", async () => {
  const one = await loadScope("steps: [{ id: a, sleep: 1s }]\n", {});
  const two = await loadScope("steps: [{ id: a, sleep: 2s }]\n", {});
  assert.match(await hashRunbook(one.runbook), /^[0-9a-f]{64}$/);
  assert.notEqual(
    await hashRunbook(one.runbook),
    await hashRunbook(two.runbook),
  );
});
