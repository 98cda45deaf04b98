import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import {
  makeModelState,
  makePace,
} from "../../../../workflows/rehearsal/model/model_state.ts";
import { readBootLoader } from "../../../../workflows/upgrade/node_system.ts";
import {
  clientAt,
  newImage,
  newVersion,
  nodeAt,
  until,
  withModel,
} from "../../../simulator/_model.ts";

Deno.test("nodes are made and found, and are off", async () => {
  const {
    chooseNode: findNode,
    findNetwork: findNetwork,
    ever,
    clock,
    making,
  } = await makeModelState({
    controlPlanes: 1,
    workers: 1,
    version: "v1.13.4",
    name: "lab",
    kubernetes: "1.33.2",
    start: 0,
  });
  const worker = findNode("10.5.0.3");
  assert.equal(findNode("lab-worker-1"), worker);
  assert.deepEqual(ever.map(({ boot: { reachable } }) => reachable), [
    false,
    false,
  ]);
  assert.equal(clock.now(), 0);
  assert.equal(making.facts.kubernetes, "1.33.2");
  const network = findNetwork(worker);
  const ends: unknown[] = [];
  network.calls.add((reason) => ends.push(reason));
  network.disconnect();
  assert.deepEqual(ends, [
    new RpcError("UNAVAILABLE", "error reading from server: EOF"),
  ]);
  await network.up();
  await network.renew();
  await network.freeze();
});

Deno.test("single nodes run another version, or are started by GRUB", async () => {
  const different = {
    "demo-worker-1": { version: "v1.12.1" },
    "demo-worker-2": { bootLoader: "grub" },
  } as const;
  await withModel({ workers: 2, different }, async (cluster) => {
    const versions = () =>
      cluster.observe().nodes.map(({ version }) => version);
    assert.deepEqual(versions(), ["v1.13.4", "v1.12.1", "v1.13.4"]);
    const loaders = await Promise.all(
      cluster.nodes().map((name) => readBootLoader(clientAt(cluster, name))),
    );
    assert.deepEqual(loaders, ["systemd-boot", "systemd-boot", "grub"]);
    // What v1.13 brought is not there.
    const { lifecycle, machine } = clientAt(cluster, "demo-worker-1");
    await assert.rejects(Array.fromAsync(lifecycle.upgrade({})), {
      code: "UNIMPLEMENTED",
    });
    await machine.upgrade({ image: newImage });
    await until(cluster, () => nodeAt(cluster, "demo-worker-1").reboots === 1);
    assert.equal(nodeAt(cluster, "demo-worker-1").version, newVersion);
  });
});

Deno.test("a node that is to be different and is not there is named", async () => {
  const different = { nobody: {} };
  await assert.rejects(
    makeModelState({ controlPlanes: 1, version: "v1.13.4", different }),
    new RangeError('No simulated node is named "nobody"'),
  );
});

Deno.test("without a seed all nodes have one pace, and what is said of it counts", () => {
  const pace = makePace({ pace: { bootMs: 5 } });
  assert.deepEqual(pace(0), {
    bootMs: 5,
    stopMs: 2_000,
    downMs: 4_000,
    installMs: 6_000,
    panicMs: 2_000,
    podMs: 5_000,
  });
  assert.deepEqual(pace(1), pace(0));
});

Deno.test("with a seed paces are from half to twice as long, and follow from it", () => {
  const boots = (seed: number) =>
    Array.from({ length: 50 }, (_, index) => makePace({ seed })(index).bootMs);
  assert.deepEqual(boots(1), boots(1));
  assert.notDeepEqual(boots(1), boots(2));
  assert.ok(Math.min(...boots(1)) >= 4_000);
  assert.ok(Math.max(...boots(1)) <= 16_000);
  assert.ok(Math.max(...boots(1)) - Math.min(...boots(1)) > 8_000);
});
