import assert from "node:assert/strict";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { counting, type Counts } from "../../_node_counts.ts";
import { withFolder } from "../../_folder.ts";
import { type Wire, withWire } from "../../_wire.ts";
import { pace } from "../_workers.ts";
import { tag } from "../../_version.ts";

/** A wire, and its only worker. */
interface Place extends Wire {
  readonly worker: string;
  readonly node: SimulatedNode;
}

function withWorker(test: (place: Place) => Promise<void>): Promise<void> {
  return withWire({ workers: 1, pace }, async (wire) => {
    const { cluster: { nodes: [, node] }, names: [, worker] } = wire;
    assert.ok(node && worker);
    await test({ ...wire, node, worker });
  });
}

/** Runs a line, lets the node have another address when that is reached, and reads its row. */
async function moving(
  { cluster, osctl, worker, node }: Place,
  line: string,
  method: string,
  reached: (counts: Counts) => boolean,
) {
  const counts = await counting(node, method);
  const running = osctl(`${line} -n ${worker} -o jsonl`);
  while (!reached(counts())) await new Promise((go) => setTimeout(go, 5));
  await cluster.setFault(worker, "address-moves", { node: "10.5.0.77" });
  const { out, err, status } = await running;
  return { row: JSON.parse(out), err, status, counts: counts() };
}

Deno.test("reboot of a node that comes back at another address is done, and says where it is", async () => {
  await withWorker(async (place) => {
    const { row, err, status, counts } = await moving(
      place,
      "reboot",
      "Reboot",
      ({ boots }) => boots > 0,
    );
    assert.deepEqual([row.outcome, status], ["done", 0], err);
    assert.equal(row.reason, `ready, ${tag}, now at 10.5.0.77`);
    assert.match(
      err,
      /^\d\d:\d\d:\d\d 10\.5\.0\.3: the node is now at 10\.5\.0\.77$/m,
    );
    assert.deepEqual(counts, { calls: 1, boots: 1 });
  });
});

Deno.test("reboot sends nothing to an address that a node has left", async () => {
  await withWorker(async ({ cluster, osctl, worker, node }) => {
    const counts = await counting(node, "Reboot");
    await cluster.setFault(worker, "address-moves");
    const { out, status } = await osctl(`reboot -n ${worker} -o jsonl`);
    assert.deepEqual([JSON.parse(out).error.code, status], ["failed", 1]);
    assert.match(JSON.parse(out).error.message, /no route to host/);
    assert.deepEqual(counts(), { calls: 0, boots: 0 });
  });
});

/** Gives the worker another configuration on trial, and moves it meanwhile. */
async function runCase(place: Place, flags: string) {
  const { osctl, worker } = place;
  const { out } = await osctl(`get mc v1alpha1 -n ${worker} -o json`);
  const text: string = JSON.parse(out).spec;
  const sysctls = 'machine:\n    sysctls:\n        vm.nr_hugepages: "1"\n';
  const changed = text.replace("machine:\n", sysctls);
  const results: Awaited<ReturnType<typeof moving>>[] = [];
  await withFolder({ "c.yaml": changed }, async (folder) => {
    results.push(
      await moving(
        place,
        `apply-config -f ${folder}/c.yaml --mode try ${flags}`,
        "ApplyConfiguration",
        ({ calls }) => calls > 0,
      ),
    );
  });
  const [result = assert.fail()] = results;
  const at = await osctl("get mc persistent -n 10.5.0.77 -o json");
  return { ...result, text, changed, kept: JSON.parse(at.out).spec };
}

Deno.test("apply-config --mode try confirms a node where it was said to come back", async () => {
  await withWorker(async (place) => {
    const { row, err, status, changed, kept } = await runCase(
      place,
      "--timeout 10s --expect-address 10.5.0.77",
    );
    assert.deepEqual([row.outcome, status], ["done", 0], err);
    assert.equal(row.reason, "confirmed (active)");
    assert.equal(kept, changed);
  });
});

Deno.test("apply-config --mode try does not confirm a node that is not found, and keeps the old configuration", async () => {
  await withWorker(async (place) => {
    const { row, err, status, text, kept, counts } = await runCase(
      place,
      "--timeout 2s --wait-timeout 6s",
    );
    assert.deepEqual([row.error.code, status], ["never-returned", 4], err);
    assert.match(err, /not confirmed, waiting for the node to revert/);
    assert.equal(counts.calls, 1);
    assert.equal(kept, text);
  });
});
