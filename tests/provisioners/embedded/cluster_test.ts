import assert from "node:assert/strict";
import { findProcess, lockFolder } from "../../../provisioners/background.ts";
import {
  createEmbedded,
  removeEmbedded,
  startEmbedded,
} from "../../../provisioners/embedded/cluster.ts";
import type {
  ClusterAccess,
  Progress,
} from "../../../provisioners/provisioner.ts";
import {
  readSpec,
  writeOutcome,
  writeSpec,
} from "../../../provisioners/embedded/folder.ts";
import { claimSubnet } from "../../../provisioners/embedded/serve.ts";
import {
  type ClusterLocation,
  readState,
} from "../../../provisioners/state.ts";
import { withFolder } from "../../_folder.ts";
import { linux, needs } from "../../_needs.ts";
import { type TestClient, testClient } from "../../simulator/_client.ts";
import { realEtcd, realNeeds } from "../../_etcd.ts";
import {
  killServer,
  listProcesses,
  untilNone,
  visible,
} from "../../_processes.ts";

const spec = { controlplanes: 1, workers: 0, kubernetesVersion: "1.34.1" };
const access: ClusterAccess = {
  endpoints: ["127.60.0.2"],
  nodes: ["127.60.0.2"],
  ca: "ca",
  crt: "crt",
  key: "key",
};

const progress: Progress = {
  phase: (_, work) => work(() => {}),
  node() {},
  warn() {},
};

/** Options of a start. */
function within(waitMs: number, signal = new AbortController().signal) {
  const bringUp = () => Promise.resolve();
  const osconfig = "/home/me/.os/config";
  return { waitMs, signal, osconfig, progress, bringUp };
}

/** Runs a test with the place of a cluster; what was made of it is removed. */
async function withPlace(test: (place: ClusterLocation) => Promise<void>) {
  await withFolder({}, async (folder) => {
    const place = { state: `${folder}/clusters`, name: "lab" };
    try {
      await test(place);
    } finally {
      await removeEmbedded(place).catch(() => {}); // most tests have none left
      if (visible) await untilNone(folder);
    }
  });
}

/** Runs a test with a cluster's folder, as if it had been created. */
async function withMade(test: (place: ClusterLocation) => Promise<void>) {
  await withPlace(async (place) => {
    await Deno.mkdir(`${place.state}/lab`, { recursive: true });
    await writeSpec(place, spec);
    await test(place);
  });
}

/** Processes that outlive their maker are not waited for, and may end at any time. */
const unwatched = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "createEmbedded makes a cluster that outlives its maker, removeEmbedded is zero",
  unwatched,
  async () => {
    await withPlace(async (place) => {
      const { endpoints, nodes } = await createEmbedded(
        place,
        spec,
        within(60_000),
      );
      assert.equal(endpoints.length, 1);
      assert.equal(nodes.length, 1);
      assert.equal((await readState(place))?.osconfig, "/home/me/.os/config");
      const { mode } = await Deno.stat(`${place.state}/lab`);
      assert.equal((mode ?? 0) & 0o777, 0o700);
      assert.notEqual(await findProcess(`${place.state}/lab`), undefined);
      await assert.rejects(createEmbedded(place, spec, within(1)), {
        message:
          'Cannot create cluster "lab": it already exists, created with embedded',
        hint:
          "Choose another --name, show it with: osctl cluster show --name lab, or remove it with: osctl cluster destroy --name lab",
        status: 2,
      });
      await removeEmbedded(place);
      if (visible) await untilNone(place.state);
      assert.deepEqual(await Array.fromAsync(Deno.readDir(place.state)), []);
    });
  },
);

Deno.test(
  "createEmbedded is zero when the nodes are not ready in time",
  unwatched,
  async () => {
    await withPlace(async (place) => {
      await assert.rejects(createEmbedded(place, spec, within(1)), {
        message: 'Nodes of cluster "lab" were not ready within 0.001 s',
        hint: "Increase --wait-timeout",
        status: 4,
      });
      if (visible) await untilNone(place.state);
      assert.deepEqual(await Array.fromAsync(Deno.readDir(place.state)), []);
    });
  },
);

Deno.test(
  "createEmbedded is zero when the user interrupts",
  unwatched,
  async () => {
    await withPlace(async (place) => {
      const stop = AbortSignal.abort(new Error("interrupted"));
      await assert.rejects(createEmbedded(place, spec, within(60_000, stop)), {
        message: "interrupted",
      });
      assert.deepEqual(await Array.fromAsync(Deno.readDir(place.state)), []);
    });
  },
);

Deno.test(
  "startEmbedded knows no cluster where there is none",
  unwatched,
  async () => {
    await withPlace(async (place) => {
      await assert.rejects(startEmbedded(place, within(60_000)), {
        message: `Cannot find cluster "lab" in "${place.state}"`,
        status: 2,
      });
    });
  },
);

Deno.test(
  "startEmbedded starts nothing when the nodes run",
  unwatched,
  async () => {
    await withMade(async (place) => {
      using lock = await lockFolder(`${place.state}/lab`);
      assert.ok(lock);
      await writeOutcome(place, { pid: Deno.pid, access });
      assert.deepEqual(await startEmbedded(place, within(60_000)), access);
    });
  },
);

Deno.test(
  "startEmbedded does not take what a process that is gone has left for an answer",
  unwatched,
  async () => {
    await withMade(async (place) => {
      using lock = await lockFolder(`${place.state}/lab`);
      assert.ok(lock);
      for (const outcome of [{ access }, { error: "old" }]) {
        await writeOutcome(place, { pid: Deno.pid + 1, ...outcome });
        await assert.rejects(startEmbedded(place, within(50)), { status: 4 });
      }
      // The one that has the lock is waited for, and none beside it is started.
      if (visible) await untilNone(place.state);
    });
  },
);

Deno.test("startEmbedded says why the nodes cannot run", {
  ...unwatched,
  ...needs(linux),
}, async () => {
  using taken = claimSubnet("linux", { seed: crypto.randomUUID(), nodes: 1 });
  await withMade(async (place) => {
    await writeSpec(place, { ...spec, cidr: taken.cidr });
    await assert.rejects(startEmbedded(place, within(60_000)), {
      message:
        `Cannot start cluster "lab": Cannot use ${taken.cidr}: another cluster uses it`,
      hint: "Remove clusters with: osctl cluster destroy",
      status: 1,
    });
    assert.equal(await findProcess(`${place.state}/lab`), undefined);
  });
});

Deno.test(
  "startEmbedded does not wait for a process that cannot even begin",
  unwatched,
  async () => {
    await withMade(async (place) => {
      // The process cannot open its lock, and so it cannot say anything.
      await Deno.mkdir(`${place.state}/lab/process`);
      await assert.rejects(startEmbedded(place, within(60_000)), {
        message: 'Cannot start cluster "lab": its process exited early',
        status: 1,
      });
    });
  },
);

Deno.test(
  "removeEmbedded removes what a kill half-way has left",
  unwatched,
  async () => {
    await withPlace(async (place) => {
      await Deno.mkdir(`${place.state}/lab`, { recursive: true });
      await removeEmbedded(place);
      assert.equal(await readSpec(place), undefined);
      await assert.rejects(
        Deno.stat(`${place.state}/lab`),
        Deno.errors.NotFound,
      );
    });
  },
);

/** A client of the first node. */
function openClient({ endpoints, ...identity }: ClusterAccess): TestClient {
  return testClient({ endpoint: `${endpoints[0]}:50000`, identity });
}

async function readMemberId(reached: ClusterAccess): Promise<bigint> {
  using client = openClient(reached);
  const { messages } = await client.machine.etcdStatus({});
  return messages[0]!.memberStatus!.memberId;
}

Deno.test({
  ...unwatched,
  name:
    "the real etcd ends with a cluster's process that is killed, and continues with its data",
  ...needs(...realNeeds, linux),
  async fn() {
    await withPlace(async (place) => {
      const folder = `${place.state}/lab`;
      const etcd = { program: realEtcd.program ?? "etcd" };
      const three = { ...spec, controlplanes: 3, etcd };
      const created = await createEmbedded(place, three, within(60_000));
      const id = await readMemberId(created);
      assert.ok((await listProcesses(`${folder}/etcd/`)).length >= 3);
      await killServer(folder);
      await untilNone(folder);
      const started = await startEmbedded(place, within(60_000));
      assert.equal(await readMemberId(started), id);
      await removeEmbedded(place);
      await untilNone(folder);
    });
  },
});

function killIfThere(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

Deno.test({
  ...unwatched,
  name: "removeEmbedded ends an etcd whose guards were killed",
  ...needs(...realNeeds, linux),
  async fn() {
    await withPlace(async (place) => {
      const folder = `${place.state}/lab`;
      const etcd = { program: realEtcd.program ?? "etcd" };
      await createEmbedded(place, { ...spec, etcd }, within(60_000));
      const server = (await findProcess(folder))!;
      for (const pid of await listProcesses(`${folder}/etcd/`)) {
        // One of them may end because the other did.
        const line = await Deno.readTextFile(`/proc/${pid}/cmdline`)
          .catch(() => "");
        if (line.includes("etcd-guard")) killIfThere(pid);
      }
      Deno.kill(server, "SIGKILL");
      const late = AbortSignal.timeout(10_000);
      while ((await listProcesses(`${folder}/etcd/`)).length > 1) {
        late.throwIfAborted();
        await new Promise((go) => setTimeout(go, 10));
      }
      assert.equal((await listProcesses(`${folder}/etcd/`)).length, 1);
      await removeEmbedded(place);
      await untilNone(folder);
    });
  },
});
