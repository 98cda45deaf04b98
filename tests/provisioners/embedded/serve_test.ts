import assert from "node:assert/strict";
import { lockFolder } from "../../../provisioners/background.ts";
import {
  readOutcome,
  readSpec,
  writeOutcome,
  writeSpec,
} from "../../../provisioners/embedded/folder.ts";
import { changeFaults } from "../../../provisioners/embedded/faults.ts";
import {
  claimSubnet,
  machine,
  placeIn,
  serveEmbedded,
  type ServeOptions,
} from "../../../provisioners/embedded/serve.ts";
import {
  type ClusterLocation,
  readState,
} from "../../../provisioners/state.ts";
import { withFolder } from "../../_folder.ts";
import { linux, needs } from "../../_needs.ts";

const spec = { controlplanes: 1, workers: 1, kubernetesVersion: "1.34.1" };

/** Runs a test with a cluster that was made and never started. */
async function withPlace(test: (place: ClusterLocation) => Promise<void>) {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    await writeSpec(place, spec);
    await test(place);
  });
}

/** Serves a cluster until a test is done with it. */
async function serve(
  place: ClusterLocation,
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
    const access = await serve(place, {}, async () => {
      await assert.rejects(
        serveEmbedded(place, { signal: new AbortController().signal }).next(),
        { message: 'Cluster "lab" is already running', status: 2 },
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
    ...needs(...os === "linux" ? [linux] : []),
    async fn() {
      await withPlace(async (place) => {
        const before = await serve(place, { os });
        const uuids = (await readState(place))?.clusterinfo.nodes.map((one) =>
          one.uuid
        );
        const after = await serve(place, { os });
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
    await serve(place);
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
    const message = `Cannot use ${taken.cidr}: another cluster uses it`;
    await assert.rejects(serve(place, { os: "linux" }), { message });
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
    await serve(place, {}, async () => {
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
      await assert.rejects(serve({ state, name }), {
        message: `Cannot find cluster "${name}" in "${state}"`,
        status: 2,
      });
    }
    using lock = await lockFolder(`${state}/empty`);
    assert.ok(lock, "the lock is free again");
  });
});

/** Tests that run at once must not want the same. */
const seed = crypto.randomUUID();

Deno.test(
  "claimSubnet gives every cluster a subnet of its own, as large as it needs",
  needs(linux),
  () => {
    using one = claimSubnet("linux", { seed, nodes: 250 });
    using two = claimSubnet("linux", { seed, nodes: 250 });
    assert.match(
      one.cidr,
      /^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.0\/24$/,
    );
    assert.match(two.cidr, /^127\.\d+\.\d+\.0\/24$/);
    assert.notEqual(one.cidr, two.cidr);
    using large = claimSubnet("linux", { seed, nodes: 251 });
    assert.match(large.cidr, /^127\.(12[89]|1[3-8]\d|19[01])\.0\.0\/16$/);
  },
);

Deno.test("claimSubnet gives a cluster the same subnet when it is made again", {
  ...needs(linux),
}, () => {
  const first = claimSubnet("linux", { seed, nodes: 1 });
  first[Symbol.dispose]();
  const again = claimSubnet("linux", { seed, nodes: 1 });
  again[Symbol.dispose]();
  assert.equal(again.cidr, first.cidr);
  using other = claimSubnet("linux", { seed: `${seed}x`, nodes: 1 });
  assert.notEqual(other.cidr, first.cidr);
});

Deno.test(
  "claimSubnet gives back the subnet a cluster had, unless another has it",
  needs(linux),
  () => {
    const before = claimSubnet("linux", { seed, nodes: 1 });
    const wishes = { seed: "another", nodes: 1, wanted: before.cidr };
    assert.throws(() => claimSubnet("linux", wishes), {
      message: `Cannot use ${before.cidr}: another cluster uses it`,
      hint: "Remove clusters with: osctl cluster destroy",
    });
    before[Symbol.dispose]();
    using again = claimSubnet("linux", wishes);
    assert.equal(again.cidr, before.cidr);
  },
);

Deno.test("placeIn counts addresses over the end of a byte", () => {
  assert.deepEqual(placeIn("127.60.0.0/16", 0), {
    host: "127.60.0.2",
    port: 50_000,
    address: "127.60.0.2",
  });
  assert.equal(placeIn("127.60.0.0/16", 300).host, "127.60.1.46");
  assert.equal(placeIn("127.64.9.0/24", 3).host, "127.64.9.5");
});

Deno.test("placeIn shares one address where loopback has no more", () => {
  const { cidr } = claimSubnet("darwin", { seed, nodes: 2 });
  assert.deepEqual(placeIn(cidr, 1), {
    host: "127.0.0.1",
    port: 0,
    address: "10.5.0.3",
  });
});

Deno.test("polling once a second sees a node of usual pace go down and come back", () => {
  const { downMs, bootMs } = machine;
  assert.ok(downMs >= 1_500, "nothing answers");
  // Its API answers in the middle of the boot.
  assert.ok(bootMs / 2 >= 1_500, "it answers and is not ready");
});
