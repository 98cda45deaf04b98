import assert from "node:assert/strict";
import { claim } from "../../provisioners/background.ts";
import {
  readOutcome,
  readSpec,
  writeOutcome,
  writeSpec,
} from "../../provisioners/embedded_folder.ts";
import { changeFaults } from "../../provisioners/faults.ts";
import { claimSubnet } from "../../provisioners/loopback.ts";
import { serveEmbedded, type ServeOptions } from "../../provisioners/serve.ts";
import { type ClusterPlace, readState } from "../../provisioners/state.ts";
import { withFolder } from "../_folder.ts";

const spec = { controlplanes: 1, workers: 1, kubernetesVersion: "1.34.1" };

/** Runs a test with a cluster that was made and never started. */
async function withPlace(test: (place: ClusterPlace) => Promise<void>) {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    await writeSpec(place, spec);
    await test(place);
  });
}

/** Serves a cluster until a test is done with it. */
async function served(
  place: ClusterPlace,
  options: Omit<ServeOptions, "signal"> = {},
  test: () => Promise<void> = () => Promise.resolve(),
) {
  const stop = new AbortController();
  const serving = serveEmbedded(place, { ...options, signal: stop.signal });
  try {
    const { value: access } = await serving.next();
    const rest = serving.next();
    await test();
    stop.abort();
    assert.equal((await rest).done, true);
    return access!; // it was not done yet
  } finally {
    await serving.return(undefined);
  }
}

Deno.test("serveEmbedded writes down what runs, for those who wait and for the next start", async () => {
  await withPlace(async (place) => {
    const access = await served(place, {}, async () => {
      await assert.rejects(
        serveEmbedded(place, { signal: new AbortController().signal }).next(),
        { message: 'Cluster "lab" runs already', status: 2 },
      );
    });
    assert.deepEqual(await readOutcome(place), { pid: Deno.pid, access });
    assert.equal(access.endpoints.length, 1);
    const state = await readState(place);
    assert.deepEqual(
      state?.clusterinfo.nodes.map(({ ips }) => ips[0]),
      access.nodes,
    );
    const saved = await readSpec(place);
    assert.deepEqual(saved?.ports?.length, 2);
    assert.deepEqual(state?.clusterinfo.network.cidrs, [saved?.cidr]);
  });
});

for (const os of ["linux", "darwin"]) {
  Deno.test({
    name: `serveEmbedded brings nodes back as they were on ${os}`,
    ignore: os === "linux" && Deno.build.os !== "linux",
    async fn() {
      await withPlace(async (place) => {
        const before = await served(place, { os });
        const uuids = (await readState(place))?.clusterinfo.nodes.map((one) =>
          one.uuid
        );
        const after = await served(place, { os });
        assert.deepEqual(after.endpoints, before.endpoints);
        assert.deepEqual(after.nodes, before.nodes);
        assert.equal(after.ca, before.ca);
        const nodes = (await readState(place))?.clusterinfo.nodes;
        assert.deepEqual(nodes?.map(({ uuid }) => uuid), uuids);
      });
    },
  });
}

Deno.test("serveEmbedded keeps what else is known of the cluster", async () => {
  await withPlace(async (place) => {
    await Deno.writeTextFile(
      `${place.state}/lab/state.yaml`,
      "provisionername: embedded\nclusterinfo: {nodes: []}\nosconfig: /c\n",
    );
    await served(place);
    assert.equal((await readState(place))?.osconfig, "/c");
  });
});

Deno.test("serveEmbedded ends when its folder is removed, and does not bring it back", async () => {
  await withPlace(async (place) => {
    const { signal } = new AbortController();
    const serving = serveEmbedded(place, { signal });
    await serving.next();
    await Deno.remove(`${place.state}/lab`, { recursive: true });
    assert.equal((await serving.next()).done, true);
    await assert.rejects(Deno.stat(`${place.state}/lab`), Deno.errors.NotFound);
  });
});

Deno.test("serveEmbedded does not bring its folder back when it fails", async () => {
  await withPlace(async (place) => {
    const { signal } = new AbortController();
    const serving = serveEmbedded(place, { signal });
    await serving.next();
    await Deno.remove(`${place.state}/lab`, { recursive: true });
    await assert.rejects(serving.throw(new Error("broken")), /broken/);
    await assert.rejects(Deno.stat(`${place.state}/lab`), Deno.errors.NotFound);
  });
});

Deno.test("serveEmbedded says why it cannot run", async () => {
  using taken = claimSubnet("linux", { seed: crypto.randomUUID(), nodes: 1 });
  await withPlace(async (place) => {
    await writeSpec(place, { ...spec, cidr: taken.cidr });
    const message = `Cannot take ${taken.cidr}: another cluster has it`;
    await assert.rejects(served(place, { os: "linux" }), { message });
    assert.deepEqual(await readOutcome(place), {
      pid: Deno.pid,
      error: message,
      hint: "Remove clusters with: osctl cluster destroy",
    });
  });
});

Deno.test("serveEmbedded forgets what became of an earlier start before it begins", async () => {
  await withPlace(async (place) => {
    await writeOutcome(place, { pid: Deno.pid, error: "old" });
    const stop = new AbortController();
    const serving = serveEmbedded(place, { signal: stop.signal });
    let ready = false;
    const first = serving.next().finally(() => ready = true);
    const seen: string[] = [];
    while (!ready) {
      const outcome = await readOutcome(place);
      seen.push(outcome === undefined ? "none" : Object.keys(outcome).join());
    }
    await first;
    stop.abort();
    await serving.next();
    assert.deepEqual(
      [...new Set(seen)].filter((one) => one !== "pid,access"),
      ["pid,error", "none"],
    );
  });
});

Deno.test("serveEmbedded switches faults on and off", async () => {
  await withPlace(async (place) => {
    await served(place, {}, async () => {
      const [node = ""] = (await readState(place))?.clusterinfo.nodes
        .map(({ id }) => id) ?? [];
      const wanted = [{ node, fault: "slow" as const, options: {} }];
      const { signal } = new AbortController();
      // Resolves only when the nodes have it.
      await changeFaults(place, () => wanted, signal);
    });
  });
});

Deno.test("serveEmbedded knows no cluster where there is none", async () => {
  await withFolder({ "empty/": "" }, async (state) => {
    for (const name of ["none", "empty"]) {
      await assert.rejects(served({ state, name }), {
        message: `Cannot find cluster "${name}" in "${state}"`,
        status: 2,
      });
    }
    using lock = await claim(`${state}/empty`);
    assert.ok(lock, "the lock is free again");
  });
});
