import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { onCluster } from "../_step_context.ts";
import { modules } from "../../../workflows/modules/all.ts";
import type { StepContext } from "../../../workflows/modules/module.ts";
import { openBench } from "../runbooks/_bench.ts";

/** Patches all workers, and takes it back on those that were changed. */
const applyPatch = (more: string) => `
inputs: { patch: { type: path, required: true } }
groups: { workers: { role: worker, order: [name] } }
steps:
  - id: all
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: backup, run: config.backup }
      - { id: before, run: config.read }
      - { id: patch, run: config.patch, with: { file: "\${{ inputs.patch }}", mode: no-reboot } }
      - { id: after, run: config.read }
      - { id: seen, assert: { that: "steps.after.machine.nodeLabels.tier == 'gold' && steps.after.hash != steps.before.hash" } }
      - { id: stop, assert: { that: "node.name != 'demo-worker-2'", message: Enough } }
rescue:
  - id: undo
    forEach: { nodes: changed, strategy: { maxFailures: 100% } }
    steps:
${more}
      - { id: now, run: config.read }
      - { id: same, assert: { that: "steps.now.hash == steps.all.before[node.name].hash && !has(steps.now.machine.nodeLabels)" } }
`;

for (
  const [name, restore] of [
    [
      "that was handed on",
      '      - { id: back, run: config.restore, with: { config: "${{ steps.all.backup[node.name].config }}" } }',
    ],
    ["of the node", "      - { id: back, run: config.restore }"],
  ] as const
) {
  Deno.test(`config.restore gives nodes back the copy ${name}, and config.read sees it`, async () => {
    const files = { "patch.yaml": "machine: { nodeLabels: { tier: gold } }\n" };
    await withFolder(files, async (folder) => {
      await using bench = await openBench({ workers: 3 });
      const inputs = { patch: `${folder}/patch.yaml` };
      const ran = await bench.run(applyPatch(restore), inputs);
      assert.equal(ran.end?.failure?.step, "all/stop", ran.verdict);
      assert.equal(ran.end?.cleanup, undefined);
      assert.deepEqual(
        ran.end?.targets.filter(({ path }) => path === "undo").map((
          { node, state, message },
        ) => [node, state, message]),
        [
          ["demo-worker-1", "done", undefined],
          ["demo-worker-2", "done", undefined],
        ],
      );
      const back = ran.records.filter(({ type, path }) =>
        type === "result" && path === "undo/back"
      );
      assert.deepEqual(back.map(({ data }) => data?.module), [
        "config.restore",
        "config.restore",
      ]);
    });
  });
}

Deno.test("config.restore refuses the copy of another node, and one that was never made", async () => {
  const run = async (restore: string) => {
    await using bench = await openBench({ workers: 2 });
    const { end } = await bench.run(`
steps:
  - { id: copy, run: config.backup, with: { node: demo-worker-1 } }
  - { id: back, run: config.restore, with: { node: demo-worker-2, ${restore} } }
`);
    return [end?.status, end?.failure?.message] as const;
  };
  const [status, message = ""] = await run(
    'config: "${{ steps.copy.config }}"',
  );
  assert.equal(status, 5);
  assert.match(
    message,
    /"config\.demo-worker-1\.[0-9a-f]{12}" is not a backup of the configuration of "demo-worker-2"/,
  );
  const [, missing = ""] = await run("mode: auto");
  assert.match(missing, /There is no backup .* of "demo-worker-2"/);
});

Deno.test("config.read omits secrets, and what it knows nothing about", async () => {
  await onCluster({}, async ({ read }, cluster) => {
    const seen = await read("config.read", {}, "10.5.0.2");
    const text = JSON.stringify(seen);
    const { secrets } = cluster.nodes[0]!.cluster;
    const planted = [
      secrets.certs.os.key,
      secrets.certs.k8s.key,
      secrets.certs.etcd.key,
      secrets.trustdInfo.token,
      secrets.cluster.secret,
      secrets.secrets.bootstrapToken,
    ];
    for (const one of planted) assert.ok(!text.includes(one), one);
    const { machine, cluster: section, documents } = seen;
    assert.deepEqual(
      (machine as { type: string }).type,
      "controlplane",
    );
    assert.ok(!("token" in (machine as object)));
    assert.ok(!("secret" in (section as object)));
    assert.ok(Array.isArray(documents));
    assert.ok(!text.includes("\\u0000"));
  });
});

Deno.test("config.read omits texts that may hold a secret, and kinds it does not know", async () => {
  const marker = "planted-3fd2";
  const text = `machine:
  type: worker
  sysctls: { net.ipv4.ip_forward: "1" }
  files: [{ content: ${marker}, path: /var/x, op: create }]
  env: { TOKEN: ${marker} }
cluster:
  inlineManifests: [{ name: one, contents: ${marker} }]
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: w-1
---
apiVersion: v9
kind: UnknownConfig
name: own
key: ${marker}
`;
  const module = modules.get("config.read");
  assert.ok(module?.kind === "read");
  const resource = { spec: { yamlSpec: text }, metadata: { annotations: {} } };
  const client = { state: { get: () => Promise.resolve({ resource }) } };
  // It asks for nothing else.
  const context = { node: "w-1", client } as unknown as StepContext;
  const steps = module.read(context, {});
  let step = await steps.next();
  while (!step.done) step = await steps.next();
  const { machine, documents, cluster } = step.value;
  assert.ok(!JSON.stringify(step.value).includes(marker));
  assert.deepEqual(machine, {
    type: "worker",
    sysctls: { "net.ipv4.ip_forward": "1" },
    files: [{ path: "/var/x", op: "create" }],
    env: {},
  });
  assert.deepEqual(cluster, { inlineManifests: [{ name: "one" }] });
  assert.deepEqual(Array.isArray(documents) && documents.slice(1), [
    { apiVersion: "v1alpha1", kind: "HostnameConfig", hostname: "w-1" },
    { apiVersion: "v9", kind: "UnknownConfig", name: "own" },
  ]);
});

Deno.test("config.restore counts as a reboot only where the node's version reboots for it", async () => {
  const patch = "machine: { env: { A: b } }\n";
  await withFolder({ "patch.yaml": patch }, async (folder) => {
    await using bench = await openBench({ workers: 0, version: "v1.14.0" });
    const { end, verdict } = await bench.run(`
steps:
  - { id: backup, run: config.backup, with: { node: demo-controlplane-1 } }
  - { id: patch, run: config.patch, with: { node: demo-controlplane-1, file: ${folder}/patch.yaml } }
  - { id: back, run: config.restore, with: { node: demo-controlplane-1 } }
`);
    // A reboot of the only control plane would be refused.
    assert.equal(end?.failure?.message, undefined, verdict);
  });
});
