import assert from "node:assert/strict";
import { counting } from "../_counting.ts";
import { withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

// What an endpoint's resolver does not know: it knows its own name alone.
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

Deno.test("a name that no member has is refused by the resolver of the endpoint", async () => {
  await withWire({ workers: 1 }, async ({ osctl }) => {
    const { err, status } = await osctl("version -n simulated-worker-7");
    assert.match(err, /the endpoint does not know this name/);
    assert.equal(status, 1);
  });
});
