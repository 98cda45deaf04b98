import assert from "node:assert/strict";
import { watchBoots, wrongBoots } from "../../tools/boot_count.ts";
import { withWire } from "../_wire.ts";

const once = {
  node: "lab-worker-1",
  version: "v1.13.9",
  ids: ["fa4c4eb0-1", "1cb24c02-2"],
};
const twice = {
  node: "lab-worker-2",
  version: "v1.13.4",
  ids: ["2d58ef09-1", "12a4a88d-2", "7b3d1f00-3"],
};

Deno.test("a node that rebooted twice, never, or runs another version is named", () => {
  assert.deepEqual(wrongBoots([once], "v1.13.9"), []);
  assert.deepEqual(wrongBoots([twice], "v1.13.9"), [
    "lab-worker-2 runs v1.13.4, not v1.13.9",
    "lab-worker-2 rebooted 2 times",
  ]);
  assert.deepEqual(wrongBoots([{ ...once, ids: [] }], "v1.13.9"), [
    "lab-worker-1 rebooted 0 times",
  ]);
});

Deno.test("watchBoots counts the boots of each node by what it answers", async () => {
  const pace = { bootMs: 800, stopMs: 10, downMs: 50 };
  await withWire({ workers: 1, pace }, async ({ cluster, osconfig }) => {
    const [still, booted] = cluster.nodes.map(({ identity }) => identity);
    assert.ok(still && booted);
    const watch = await watchBoots(
      osconfig,
      new Map([still, booted].map((node) => [node.address, node.hostname])),
    );
    const { counts } = cluster.nodes[1] ?? assert.fail();
    const before = counts.boots;
    await cluster.reboot(booted.hostname);
    await cluster.reboot(booted.hostname);
    assert.equal(counts.boots, before + 2);
    const boots = await watch.end();
    assert.deepEqual(boots.map(({ node, ids }) => [node, ids.length - 1]), [
      [still.hostname, 0],
      [booted.hostname, 2],
    ]);
  });
});
