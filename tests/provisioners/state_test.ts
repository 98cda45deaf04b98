import assert from "node:assert/strict";
import {
  clusterNames,
  joinFolder,
  type LocalCluster,
  readJson,
  readOff,
  readState,
  writeOff,
  writeState,
} from "../../provisioners/state.ts";
import { withFolder } from "../_folder.ts";

const cluster: LocalCluster = {
  provisionername: "embedded",
  clusterinfo: {
    clustername: "lab",
    network: {
      name: "lab",
      cidrs: ["127.60.0.0/16"],
      gatewayaddrs: [],
      mtu: 1500,
    },
    nodes: [],
    kubernetesendpoint: "https://127.60.0.2:6443",
  },
};

Deno.test("writeState writes what readState reads, for the owner alone", async () => {
  await withFolder({}, async (state) => {
    const place = { state, name: "lab" };
    await writeState(place, cluster);
    assert.deepEqual(await readState(place), cluster);
    const { mode } = await Deno.stat(`${state}/lab/state.yaml`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(await clusterNames(state), ["lab"]);
  });
});

Deno.test("readState knows no cluster where there is none", async () => {
  await withFolder({}, async (state) => {
    assert.equal(await readState({ state, name: "lab" }), undefined);
    assert.deepEqual(await clusterNames(`${state}/none`), []);
  });
});

Deno.test("clusterNames passes over files and folders that no cluster can have", async () => {
  await withFolder({}, async (state) => {
    for (const name of ["b", "a", ".hidden", "with space"]) {
      await Deno.mkdir(`${state}/${name}`);
    }
    await Deno.writeTextFile(`${state}/file`, "");
    assert.deepEqual(await clusterNames(state), ["a", "b"]);
  });
});

Deno.test("readState names a file that is not a state", async () => {
  await withFolder({}, async (state) => {
    await Deno.mkdir(`${state}/lab`);
    for (const text of ["{", "[]", "a: &a 1\nb: *a\n"]) {
      await Deno.writeTextFile(`${state}/lab/state.yaml`, text);
      await assert.rejects(readState({ state, name: "lab" }), {
        message:
          `Cannot read "${state}/lab/state.yaml": it is not a cluster state file`,
        status: 2,
      });
    }
  });
});

Deno.test("joinFolder refuses names that lead elsewhere", () => {
  assert.equal(
    joinFolder({ state: "/s", name: "os-default" }),
    "/s/os-default",
  );
  for (const name of ["..", "a/b", "", "-x", "x".repeat(64)]) {
    assert.throws(() => joinFolder({ state: "/s", name }), {
      message: `Cannot use cluster name "${name}"`,
    });
  }
});

Deno.test("readJson reads what is there, and knows when nothing is", async () => {
  await withFolder({ "a.json": '{"a":1}' }, async (folder) => {
    assert.deepEqual(await readJson(`${folder}/a.json`), { a: 1 });
    assert.equal(await readJson(`${folder}/b.json`), undefined);
  });
});

Deno.test("readJson names a file that is not JSON", async () => {
  await withFolder({ "a.json": "{" }, async (folder) => {
    await assert.rejects(readJson(`${folder}/a.json`), {
      message: `Cannot read "${folder}/a.json": it is not valid JSON`,
      hint: `Remove the cluster with: osctl cluster destroy --force --name ${
        folder.split("/").at(-1)
      }`,
      status: 2,
    });
  });
});

Deno.test("readOff reads which nodes are off, and that none are when nothing was written", async () => {
  await withFolder({}, async (folder) => {
    assert.deepEqual(await readOff(folder), []);
    await writeOff(folder, ["lab-worker-1"]);
    assert.deepEqual(await readOff(folder), ["lab-worker-1"]);
  });
});
