import assert from "node:assert/strict";
import { domain } from "../../../talos.ts";
import { UsageError } from "../../../errors.ts";
import { parseSelector } from "../../../transport/node/label_selector.ts";
import { withWire } from "../../_wire.ts";

Deno.test("a selector is read like those of Kubernetes", () => {
  assert.deepEqual(parseSelector("role=worker, zone!=a,gpu,!old"), [
    { label: "role", operator: "=", value: "worker" },
    { label: "zone", operator: "!=", value: "a" },
    { label: "gpu", operator: "exists", value: "" },
    { label: "old", operator: "absent", value: "" },
  ]);
  for (const wrong of ["", "=a", "a==b=c", "a b"]) {
    assert.throws(() => parseSelector(wrong), UsageError);
  }
});

Deno.test("--selector chooses nodes by role, name and own labels, for reads and changes", async () => {
  await withWire({ controlplanes: 1, workers: 2 }, async (wire) => {
    const { cluster, names: [plane, one, two], osctl } = wire;
    cluster.nodes[2]?.boot.resources.put(
      { namespace: "k8s", type: `NodeLabelSpecs.k8s.${domain}`, id: "zone" },
      { spec: { key: "zone", value: "a" } },
    );
    const cases: readonly (readonly [string, readonly unknown[]])[] = [
      ["-l role=worker", [one, two]],
      ["-l node-role.kubernetes.io/control-plane", [plane]],
      ["-l role!=worker", [plane]],
      ["--selector hostname=simulated-worker-1", [one]],
      ["-l zone=a", [two]],
      ["-l role=worker,!zone", [one]],
      [`-l zone=a -n ${one},${two}`, [two]],
    ];
    for (const [flags, expected] of cases) {
      const { out, err } = await osctl(`memory -o name ${flags}`);
      assert.deepEqual(out.trim().split("\n"), expected, `${flags}: ${err}`);
      assert.match(err, /: 10\.5\.0\.\d/);
    }
    const none = await osctl("memory -l zone=b");
    assert.match(none.err, /^error: No node matches the selector "zone=b"\n/);
    assert.equal(none.status, 2);
    const changed = await osctl("service kubelet restart -l zone=a -o name");
    assert.deepEqual([changed.out, changed.status], [`${two}\n`, 0]);
  });
});
