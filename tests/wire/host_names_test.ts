import assert from "node:assert/strict";
import { counting } from "../_node_counts.ts";
import { withFolder } from "../_folder.ts";
import { withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

// Names unknown to an endpoint's resolver: it knows its own name alone.
const name = "simulated-worker-1";

Deno.test("reads and changes of a node chosen by its host name go to its address", async () => {
  await withWire({ workers: 1, pace }, async ({ cluster, osctl }) => {
    const read = await osctl(`get hostname -n ${name} -o jsonpath={.spec}`);
    assert.deepEqual([read.err, read.status], ["", 0]);
    const node = cluster.nodes[1];
    assert.ok(node);
    const counts = await counting(node, "Reboot");
    const { out, err, status } = await osctl(`reboot -n ${name} -o jsonl`);
    assert.deepEqual([JSON.parse(out).outcome, status], ["done", 0], err);
    assert.deepEqual(counts(), { calls: 1, boots: 1 });
  });
});

Deno.test("a node chosen by its host name is renamed, and the new name is seen at its address", async () => {
  await withWire({ workers: 1, pace }, async ({ cluster, osctl }) => {
    const { out, err, status } = await osctl([
      ...`patch mc -n ${name} -o jsonl --mode no-reboot -p`.split(" "),
      '{"apiVersion": "v1alpha1", "kind": "HostnameConfig", "auto": "off", "hostname": "renamed"}',
    ]);
    assert.equal(status, 0, err + out);
    assert.equal(cluster.nodes[1]?.identity.hostname, "renamed");
  });
});

const rename = (hostname: string) =>
  JSON.stringify({
    apiVersion: "v1alpha1",
    kind: "HostnameConfig",
    auto: "off",
    hostname,
  });

Deno.test("a node chosen by its host name is renamed by edit, with a reboot, and in a runbook, which continues with it", () =>
  withFolder({
    "edit.sh": `sed -i 's/hostname: ${name}/hostname: second/' "$1"\n`,
    "rename.runbook.yaml": `apiVersion: osctl/v1
kind: Runbook
name: rename
title: Rename a node, and reboot it
groups:
  one: { names: third }
steps:
  - id: each
    forEach: one
    steps:
      - id: rename
        run: patch
        with: { type: mc, mode: no-reboot, patch: ['${rename("fourth")}'] }
      - id: reboot
        run: reboot
`,
  }, (folder) =>
    withWire({ workers: 1, pace }, async ({ cluster, osctl }) => {
      const [, node] = cluster.nodes;
      assert.ok(node);
      const edited = await osctl(`edit mc -n ${name}`, {
        env: { EDITOR: `sh ${folder}/edit.sh` },
      });
      assert.equal(edited.status, 0, edited.err);
      assert.equal(node.identity.hostname, "second");
      const counts = await counting(node, "Reboot");
      const patched = await osctl([
        ..."patch mc -n second --mode reboot -p".split(" "),
        rename("third"),
      ]);
      assert.equal(patched.status, 0, patched.err);
      assert.equal(node.identity.hostname, "third");
      const ran = await osctl(
        `runbook run ${folder}/rename.runbook.yaml --yes`,
      );
      assert.equal(ran.status, 0, ran.err + ran.out);
      assert.equal(node.identity.hostname, "fourth");
      assert.match(ran.err, /each: 1 node: third$/m);
      assert.deepEqual(counts(), { calls: 1, boots: 2 });
    })));

Deno.test("a name that no member has is refused by the resolver of the endpoint", async () => {
  await withWire({ workers: 1 }, async ({ osctl }) => {
    const { err, status } = await osctl("version -n simulated-worker-7");
    assert.match(err, /no such node/);
    assert.equal(status, 1);
  });
});

/** Gives a node more addresses; nodes list theirs in the order of their numbers. */
function withAddresses(...addresses: readonly string[]): string {
  const link = { interface: "eth0", addresses };
  return JSON.stringify({ machine: { network: { interfaces: [link] } } });
}

Deno.test("a node with several addresses is one node, whichever of them names it", async () => {
  await withWire({ workers: 1, pace }, async ({ cluster, osctl }) => {
    const { status } = await osctl([
      ...`patch mc -n 10.5.0.3 --mode no-reboot -p`.split(" "),
      withAddresses("10.5.0.3/24", "10.6.0.3/24", "10.4.0.9/24"),
    ]);
    assert.equal(status, 0);
    const members = await osctl(
      `get members ${name} -n 10.5.0.2 -o jsonpath={.spec.addresses}`,
    );
    assert.deepEqual(JSON.parse(members.out), [
      "10.4.0.9",
      "10.5.0.3",
      "10.6.0.3",
    ]);
    const node = cluster.nodes[1];
    assert.ok(node);
    const counts = await counting(node, "Reboot");
    const all = `10.6.0.3,${name},10.4.0.9,10.5.0.3`;
    const { out, err } = await osctl(`reboot -n ${all} -o jsonpath={.node}`);
    assert.equal(out, "10.6.0.3\n", err);
    assert.deepEqual(counts(), { calls: 1, boots: 1 });
    const patched = await osctl([
      ...`patch mc -n ${all} --mode no-reboot -o jsonpath={.node} -p`
        .split(" "),
      '{"machine": {"sysctls": {"vm.swappiness": "10"}}}',
    ]);
    assert.deepEqual(
      [patched.out, patched.status],
      ["10.6.0.3\n", 0],
      patched.err,
    );
    const healthy = await osctl("health -n 10.5.0.2");
    assert.equal(healthy.status, 0, healthy.err);
  });
});

Deno.test("the quorum counts a control plane by each of its addresses", async () => {
  await withWire({ controlplanes: 3, pace }, async ({ cluster, osctl }) => {
    const { status } = await osctl([
      ...`patch mc -n 10.5.0.3 --mode no-reboot -p`.split(" "),
      withAddresses("10.5.0.3/24", "10.6.0.3/24", "10.4.0.9/24"),
    ]);
    assert.equal(status, 0);
    await cluster.setFault("10.5.0.4", "etcd-stopped");
    const node = cluster.nodes[1];
    assert.ok(node);
    const counts = await counting(node, "Reboot");
    for (const address of ["10.4.0.9", "10.5.0.3", "10.6.0.3"]) {
      const { err, status } = await osctl(
        `reboot -n ${address} --timeout 100ms`,
      );
      assert.equal(status, 5, err);
    }
    assert.deepEqual(counts(), { calls: 0, boots: 0 });
  });
});
