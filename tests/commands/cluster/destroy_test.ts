import assert from "node:assert/strict";
import { pause } from "../../../lib/pause.ts";
import { exists } from "../../../lib/files/exists.ts";
import { parseKubeconfig } from "../../../config/kubeconfig/content.ts";
import { mergeKubeconfig } from "../../../config/kubeconfig/merge.ts";
import { renderKubeconfig } from "../../../config/kubeconfig/render.ts";
import { readOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import {
  embeddedState,
  openStore,
} from "../../../provisioners/embedded/folder.ts";
import { readState, writeState } from "../../../provisioners/state.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { withFolder } from "../../_folder.ts";
import { linux, needs } from "../../_needs.ts";
import { start, withHome } from "../../_osctl.ts";
import { untilNone, visible } from "../../_processes.ts";
import { run } from "../../_run.ts";
import { nodeKubeconfig } from "../../config/kubeconfig/_kubeconfig.ts";

/** A home in which cluster `lab` was made and does not run; two contexts lead to it, and one elsewhere. */
async function withLab(
  test: (home: { path: string; state: string; osctl: typeof run }) => Promise<
    void
  >,
) {
  await withFolder({}, async (path) => {
    const state = `${path}/.os/clusters`;
    const place = { state, name: "lab" };
    const osconfig = `${path}/elsewhere/config`;
    const cluster = await startCluster({
      name: "lab",
      store: openStore(place),
    });
    await cluster.stop();
    await writeState(place, { ...embeddedState("lab"), osconfig });
    const context = { endpoints: ["a"], ca: btoa(cluster.ca) };
    await Deno.mkdir(`${path}/elsewhere`);
    await Deno.writeTextFile(
      osconfig,
      JSON.stringify({
        context: "renamed",
        contexts: {
          prod: { endpoints: ["p"] },
          lab: context,
          renamed: context,
        },
      }),
    );
    await test({
      path,
      state,
      osctl: (line, nodes, options) =>
        run(line, nodes, { env: { HOME: path }, ...options }),
    });
  });
}

async function namesIn(folder: string): Promise<string[]> {
  return await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
}

async function contextsIn(path: string): Promise<string[]> {
  const config = await readOsconfig(path);
  return [config?.current ?? "", ...config?.contexts.keys() ?? []];
}

Deno.test("cluster destroy removes the folder and every context that trusts the cluster", async () => {
  await withLab(async ({ path, state, osctl }) => {
    const ran = await osctl("cluster destroy --name lab -o json");
    assert.deepEqual(JSON.parse(ran.out), { name: "lab", context: "prod" });
    assert.deepEqual([ran.err, ran.status], ["", 0]);
    assert.deepEqual(await namesIn(state), []);
    const contexts = await contextsIn(`${path}/elsewhere/config`);
    assert.deepEqual(contexts, ["prod", "prod"]);
  });
});

Deno.test("cluster destroy leaves no dead context in the client configuration in use either", async () => {
  await withLab(async ({ path, osctl }) => {
    const inUse = `${path}/in-use`;
    await Deno.copyFile(`${path}/elsewhere/config`, inUse);
    const env = { HOME: path, OSCONFIG: inUse };
    const ran = await osctl("cluster destroy --name lab", {}, { env });
    assert.deepEqual([ran.err, ran.status], ["", 0]);
    assert.deepEqual(await contextsIn(inUse), ["prod", "prod"]);
    const first = await contextsIn(`${path}/elsewhere/config`);
    assert.deepEqual(first, ["prod", "prod"]);
  });
});

Deno.test("cluster destroy removes the cluster from every kubeconfig; one that cannot be read keeps nothing", async () => {
  await withLab(async ({ path, state, osctl }) => {
    const place = { state, name: "lab" };
    const [server, other] = ["https://127.9.0.2:6443", "https://prod:6443"];
    const known = await readState(place) ?? assert.fail();
    const clusterinfo = { ...known.clusterinfo, kubernetesendpoint: server };
    await writeState(place, { ...known, clusterinfo });
    const given = [
      { cluster: "prod", ca: "prod", server: other },
      // One of this name was destroyed before kubeconfigs were changed.
      { cluster: "lab", ca: "older", server: "https://127.0.0.1:30001" },
      { cluster: "lab", ca: "lab", server },
    ];
    let text = "";
    for (const one of given) {
      const incoming = parseKubeconfig(nodeKubeconfig(one), "given");
      const { config } = await mergeKubeconfig(
        parseKubeconfig(text, "merged"),
        incoming,
        { onConflict: "rename", setCurrent: true },
      );
      text = renderKubeconfig(text, "merged", config);
    }
    await Deno.writeTextFile(`${path}/broken`, "clusters: 1");
    await Deno.writeTextFile(`${path}/merged`, text);
    const KUBECONFIG = `${path}/broken:${path}/absent:${path}/merged`;
    const ran = await osctl("cluster destroy --name lab", {}, {
      env: { HOME: path, KUBECONFIG },
    });
    assert.equal(ran.status, 0, ran.err);
    assert.equal(
      ran.err.replaceAll(path, "~"),
      `warning: Cannot read "~/broken": "clusters" is not a list
removed context "admin@lab-1" from "~/merged"
`,
    );
    const left = parseKubeconfig(
      await Deno.readTextFile(`${path}/merged`),
      "merged",
    );
    assert.deepEqual([...left.context.keys()], ["admin@prod", "admin@lab"]);
    assert.deepEqual([...left.user.keys()], ["admin@prod", "admin@lab"]);
    assert.equal(left.current, "");
    assert.deepEqual(await namesIn(state), []);
  });
});

Deno.test("cluster destroy leaves a cluster alone whose state cannot be read, unless forced", async () => {
  await withLab(async ({ path, state, osctl }) => {
    await Deno.writeTextFile(`${state}/lab/state.yaml`, "{");
    const message =
      `Cannot read "${state}/lab/state.yaml": it is not a cluster state file`;
    const gentle = await osctl("cluster destroy --name lab");
    assert.equal(
      gentle.err,
      `error: ${message}\nhint: Remove the cluster with: osctl cluster destroy --force --name lab\n`,
    );
    assert.equal(gentle.status, 2);
    assert.deepEqual(await namesIn(state), ["lab"]);

    const osconfig = `${path}/elsewhere/config`;
    const forced = await osctl(
      `cluster destroy --name lab --force --osconfig ${osconfig}`,
    );
    assert.equal(forced.err, `warning: ${message}\n`);
    assert.equal(
      forced.out,
      'Cluster "lab" is destroyed; the current context is now "prod"\n',
    );
    assert.equal(forced.status, 0);
    assert.deepEqual(await namesIn(state), []);
    // Known by its CA, it is found where the flag says.
    assert.deepEqual(await contextsIn(osconfig), ["prod", "prod"]);
  });
});

Deno.test("cluster destroy leaves a cluster alone whose contexts cannot be removed, unless forced", async () => {
  await withLab(async ({ path, state, osctl }) => {
    await Deno.writeTextFile(`${path}/elsewhere/config`, "contexts: [");
    const gentle = await osctl("cluster destroy --name lab");
    assert.match(gentle.err, /^error: .*elsewhere\/config/);
    assert.equal(gentle.status, 2);
    assert.deepEqual(await namesIn(state), ["lab"]);
    const forced = await osctl("cluster destroy --name lab -f");
    assert.match(forced.err, /^warning: .*elsewhere\/config/);
    assert.equal(forced.status, 0);
    assert.deepEqual(await namesIn(state), []);
  });
});

Deno.test("cluster destroy keeps the contexts of a cluster whose engine is down; forced, it warns once", async () => {
  await withLab(async ({ path, state, osctl }) => {
    const place = { state, name: "lab" };
    const known = await readState(place) ?? assert.fail();
    const ca = (await Deno.readTextFile(`${path}/elsewhere/config`))
      .match(/"ca":"([^"]*)"/)?.[1] ?? "";
    await writeState(place, {
      ...known,
      provisionername: "docker",
      ca: atob(ca),
    });
    const osconfig = `${path}/elsewhere/config`;
    const before = await contextsIn(osconfig);
    const env = { HOME: path, DOCKER_HOST: `unix://${path}/none` };
    const gentle = await osctl("cluster destroy --name lab", {}, { env });
    assert.match(gentle.err, /^error: /);
    assert.notEqual(gentle.status, 0);
    assert.deepEqual(await contextsIn(osconfig), before);
    assert.deepEqual(await namesIn(state), ["lab"]);
    const forced = await osctl("cluster destroy --name lab -f", {}, { env });
    assert.equal(forced.err.match(/warning: /g)?.length, 1, forced.err);
    assert.equal(forced.status, 0);
    assert.deepEqual(await contextsIn(osconfig), ["prod", "prod"]);
    assert.deepEqual(await namesIn(state), []);
  });
});

Deno.test("cluster destroy does not touch what a provisioner made that it does not know", async () => {
  await withLab(async ({ state, osctl }) => {
    await writeState({ state, name: "lab" }, {
      ...embeddedState("lab"),
      provisionername: "vagrant",
    });
    const { err, status } = await osctl("cluster destroy --name lab --force");
    assert.equal(
      err,
      `error: Unknown provisioner "vagrant"
hint: Known provisioners: embedded, docker, qemu
`,
    );
    assert.equal(status, 2);
    assert.deepEqual(await namesIn(state), ["lab"]);
  });
});

Deno.test("cluster destroy names a cluster that is not there, also when forced", async () => {
  await withFolder({}, async (home) => {
    for (const flag of ["", " --force"]) {
      const { err, status } = await run(`cluster destroy${flag}`, {}, {
        env: { HOME: home },
      });
      assert.equal(
        err,
        `error: Cannot find cluster "os-default" in "${home}/.os/clusters"
hint: List the clusters with: osctl cluster show --all
`,
      );
      assert.equal(status, 2);
    }
  });
});

Deno.test("cluster destroy without --name lists the clusters to name, and removes none", async () => {
  const folders = { ".os/clusters/big/": "", ".os/clusters/sitelab/": "" };
  await withFolder(folders, async (home) => {
    const { err, status } = await run("cluster destroy", {}, {
      env: { HOME: home },
    });
    assert.equal(
      err,
      `error: Name the cluster: --name big or --name sitelab
hint: The default, "os-default", is not in "${home}/.os/clusters"
`,
    );
    assert.equal(status, 2);
    assert.deepEqual((await namesIn(`${home}/.os/clusters`)).toSorted(), [
      "big",
      "sitelab",
    ]);
  });
});

const moments = [
  // The nodes have not begun.
  ["os-default", "--etcd model"],
  ["os-default/process", "--etcd auto"],
  ["../config", "--etcd auto"],
] as const;

for (const [moment, etcd] of moments) {
  Deno.test({
    name:
      `cluster destroy is zero when the creating process is killed as soon as ${moment} is there`,
    ...needs(linux),
    async fn() {
      await withHome(async (home) => {
        const clusters = `${home.path}/.os/clusters`;
        const child = start(home, `cluster create embedded ${etcd}`);
        await untilThere(`${clusters}/${moment}`);
        kill(child);
        await child.output();
        const { err, status } = await home.osctl("cluster destroy");
        assert.deepEqual({ err, status }, { err: "", status: 0 });
        // A process of nodes that was only about to start ends by itself.
        await untilNone(home.path);
        assert.deepEqual(await namesIn(clusters), []);
        const contexts = await contextsIn(`${home.path}/.os/config`);
        assert.deepEqual(contexts, [""]);
      });
    },
  });
}

Deno.test("cluster destroy is zero after kill -9 of the nodes' process", async () => {
  await withHome(async (home) => {
    await home.osctl("cluster create embedded --workers 0");
    const clusters = `${home.path}/.os/clusters`;
    const pid = await Deno.readTextFile(`${clusters}/os-default/process`);
    Deno.kill(Number(pid), "SIGKILL");
    const { status, err } = await home.osctl("cluster destroy");
    assert.deepEqual({ status, err }, { status: 0, err: "" });
    assert.deepEqual(await namesIn(clusters), []);
    if (visible) await untilNone(home.path);
  });
});

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // At the last moment it may have ended by itself.
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Looks a thousand times a second: more would be at the cost of the process that is waited for. */
async function untilThere(path: string): Promise<void> {
  while (!await exists(path)) await pause(1);
}
