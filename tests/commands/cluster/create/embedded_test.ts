import assert from "node:assert/strict";
import { withFolder } from "../../../_folder.ts";
import { withHome } from "../../../_osctl.ts";
import { untilNone, visible } from "../../../_processes.ts";
import { run } from "../../../_run.ts";

async function filesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.sort();
}

Deno.test("cluster create embedded makes nodes that answer, destroy is zero", async () => {
  await withHome(async (home) => {
    const created = await home.osctl(
      "cluster create embedded --controlplanes 3 --workers 2 -o json",
    );
    assert.equal(created.status, 0, created.err);
    const row = JSON.parse(created.out);
    const spec = `${home.path}/.os/clusters/os-default/embedded.json`;
    assert.equal(JSON.parse(await Deno.readTextFile(spec)).pace, "machine");
    assert.equal(row.nodes.length, 5);
    assert.equal(row.endpoints.length, 3);
    assert.equal(row.osconfig, `${home.path}/.os/config`);
    const memory = await home.osctl("memory");
    assert.equal(memory.out.split("\n").length, 7, memory.err);
    const workers = await home.osctl("memory -n @workers -o jsonl");
    assert.equal(workers.out.split("\n").length, 3, workers.err);

    const destroyed = await home.osctl("cluster destroy");
    assert.deepEqual(destroyed, {
      out: 'Cluster "os-default" is destroyed; no context is left\n',
      err: "",
      status: 0,
    });
    if (visible) await untilNone(home.path);
    assert.deepEqual(await filesIn(`${home.path}/.os/clusters`), []);
    const config = await Deno.readTextFile(`${home.path}/.os/config`);
    assert.equal(config, 'context: ""\ncontexts: {}\n');
  });
});

Deno.test("cluster create embedded refuses a name that is taken", async () => {
  const files = { ".os/clusters/os-default/state.yaml": "another's" };
  await withFolder(files, async (home) => {
    const folder = `${home}/.os/clusters/os-default`;
    const { err, status } = await run("cluster create embedded", {}, {
      env: { HOME: home },
    });
    assert.equal(
      err,
      `error: Cannot create cluster "os-default": "${folder}" exists
hint: Remove it with: osctl cluster destroy --name os-default
`,
    );
    assert.equal(status, 2);
    assert.deepEqual(await filesIn(folder), ["state.yaml"]);
    const state = await Deno.readTextFile(`${folder}/state.yaml`);
    assert.equal(state, "another's");
    assert.deepEqual(await filesIn(`${home}/.os`), ["clusters"]);
  });
});

Deno.test("two clusters are created at once and do not disturb each other", async () => {
  await withHome(async ({ path, osctl }) => {
    const names = ["one", "two"];
    const created = await Promise.all(
      names.map((name) =>
        osctl(
          `cluster create embedded --workers 0 --name ${name}${
            name === "two" ? " --os-version v1.13" : ""
          }`,
        )
      ),
    );
    for (const [index, name] of names.entries()) {
      const { out, err, status } = created[index]!;
      assert.equal(
        out.replace(/127\.\d+\.\d+\.2/, "ADDRESS"),
        `NAME                 TYPE           IP
${name}-controlplane-1   controlplane   ADDRESS

Cluster "${name}" is ready: 1 node; context "${name}" in ${path}/.os/config
`,
      );
      assert.match(
        err,
        /^starting nodes: \d+\.\d s\nhint: Check it with: osctl health\nhint: Destroy it with: osctl cluster destroy --name (one|two)\n$/,
      );
      assert.equal(status, 0);
    }
    const shown = await Promise.all(
      names.map((name) =>
        osctl(`--context ${name} get members -o jsonpath={.metadata.id}`)
      ),
    );
    assert.deepEqual(shown.map(({ out }) => out), [
      "one-controlplane-1\n",
      "two-controlplane-1\n",
    ]);
    const kubelets = await Promise.all(
      names.map((name) =>
        osctl(`--context ${name} get kubeletspec -o jsonpath={.spec.image}`)
      ),
    );
    assert.deepEqual(kubelets.map(({ out }) => out), [
      "ghcr.io/siderolabs/kubelet:v1.34.1\n",
      "ghcr.io/siderolabs/kubelet:v1.36.3\n",
    ]);
    for (const name of names) {
      assert.equal((await osctl(`cluster destroy --name ${name}`)).status, 0);
    }
    assert.deepEqual(await filesIn(`${path}/.os/clusters`), []);
  });
});

Deno.test("cluster create embedded makes nothing when it cannot read the client configuration", async () => {
  await withFolder({ ".os/config": "contexts: [" }, async (home) => {
    const { err, status } = await run("cluster create embedded", {}, {
      env: { HOME: home },
    });
    assert.match(err, /^error: .*\/\.os\/config/);
    assert.equal(status, 2);
    assert.deepEqual(await filesIn(`${home}/.os`), ["config"]);
  });
});

Deno.test("cluster create embedded is zero when it cannot write the client configuration", async () => {
  await withHome(async ({ path, osctl }) => {
    const { status, err } = await osctl(
      "cluster create embedded --workers 0 --etcd model --osconfig-destination /proc/none/config",
    );
    assert.match(
      err,
      /^starting nodes: .* s\nerror: Cannot write "\/proc\/none\/config"/,
    );
    assert.equal(status, 2);
    assert.deepEqual(await filesIn(`${path}/.os/clusters`), []);
  });
});

Deno.test("cluster create embedded names versions that no node plays, or that do not go together", async () => {
  const line = "cluster create embedded";
  const played = "simulated nodes support v1.8 to v1.14";
  const hint = "hint: Give a version such as v1.12 or v1.12.11\n";
  const refused = ["latest", "v1.7.5", "v1.15.0", "v2.0.0", "v1"];
  for (const version of refused) {
    const { err, status } = await run(`${line} --os-version ${version}`);
    assert.equal(
      err,
      `error: Invalid value "${version}" for --os-version: ${played}\n${hint}`,
    );
    assert.equal(status, 2);
  }
  const old = await run(`${line} --os-version 1.8 --kubernetes-version 1.34.1`);
  assert.equal(
    old.err,
    "error: Kubernetes v1.34.1 is too new for v1.8.4, which supports v1.26 to v1.31\n" +
      "hint: Change --kubernetes-version or --os-version\n",
  );
  assert.equal(old.status, 2);
});

Deno.test("cluster create embedded wants a control plane", async () => {
  const { err, status } = await run(
    "cluster create embedded --controlplanes 0",
  );
  assert.match(
    err,
    /Invalid value "0" for --controlplanes: must be a whole number from 1 to 1000/,
  );
  assert.equal(status, 2);
});

Deno.test("cluster create embedded knows three paces", async () => {
  const { err, status } = await run("cluster create embedded --pace slow");
  assert.match(
    err,
    /Invalid value "slow" for --pace: must be one of machine, fast, instant/,
  );
  assert.equal(status, 2);
});
