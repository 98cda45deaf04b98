import assert from "node:assert/strict";
import {
  embeddedCa,
  embeddedState,
  openStore,
  readOutcome,
  readSpec,
  writeOutcome,
  writeSpec,
} from "../../../provisioners/embedded/folder.ts";
import { clusterNotFound } from "../../../provisioners/state.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { withFolder } from "../../_folder.ts";

const spec = {
  controlplanes: 1,
  workers: 2,
  kubernetesVersion: "1.34.1",
  cidr: "127.60.0.0/16",
  ports: [50_000],
};

Deno.test("readSpec reads what writeSpec wrote, for the owner alone", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    assert.equal(await readSpec(place), undefined);
    await writeSpec(place, spec);
    assert.deepEqual(await readSpec(place), spec);
    const { mode } = await Deno.stat(`${state}/lab/embedded.json`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
  });
});

Deno.test("writeOutcome writes what readOutcome reads, and forgets it", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    await writeOutcome(place, { pid: 7, error: "no" });
    assert.deepEqual(await readOutcome(place), { pid: 7, error: "no" });
    await writeOutcome(place);
    assert.equal(await readOutcome(place), undefined);
    await writeOutcome(place);
  });
});

Deno.test("openStore keeps texts in the cluster's folder", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const store = openStore({ state, name: "lab" });
    assert.equal(await store.read("a.json"), undefined);
    await store.write("a.json", "one");
    assert.equal(await store.read("a.json"), "one");
    assert.equal(await Deno.readTextFile(`${state}/lab/nodes/a.json`), "one");
  });
});

Deno.test("embeddedCa is that of the nodes", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    assert.equal(await embeddedCa(place), undefined);
    const cluster = await startCluster({ store: openStore(place) });
    await cluster.stop();
    assert.equal(await embeddedCa(place), cluster.ca);
    await Deno.writeTextFile(`${state}/lab/nodes/cluster.json`, "{");
    await assert.rejects(embeddedCa(place), { name: "ConfigError" });
  });
});

Deno.test("clusterNotFound names cluster and folder", () => {
  const { message, hint, status } = clusterNotFound({
    state: "/s",
    name: "lab",
  });
  assert.deepEqual([message, hint, status], [
    'Cannot find cluster "lab" in "/s"',
    "List the clusters with: osctl cluster show --all",
    2,
  ]);
});

const identity = {
  hostname: "lab-worker-1",
  address: "127.60.0.2",
  machineType: "worker",
  uuid: "42",
} as const;

Deno.test("embeddedState describes the nodes that run", () => {
  const running = {
    cidr: "127.60.0.0/16",
    nodes: [{ identity }],
    ports: [50_000],
  };
  assert.deepEqual(embeddedState("lab", running), {
    provisionername: "embedded",
    clusterinfo: {
      clustername: "lab",
      network: {
        name: "lab",
        cidrs: ["127.60.0.0/16"],
        gatewayaddrs: [],
        mtu: 65_536,
      },
      nodes: [{
        id: "127.60.0.2",
        uuid: "42",
        name: "lab-worker-1",
        type: "worker",
        nanocpus: 0,
        memory: 0,
        disksize: 0,
        ips: ["127.60.0.2"],
        apiport: 50_000,
      }],
      kubernetesendpoint: "https://127.60.0.2:6443",
    },
  });
});

Deno.test("embeddedState knows neither network nor nodes before the first start", () => {
  const { network, nodes, kubernetesendpoint } =
    embeddedState("lab").clusterinfo;
  assert.deepEqual([network.cidrs, nodes, kubernetesendpoint], [[], [], ""]);
});
