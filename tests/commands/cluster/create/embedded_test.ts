import assert from "node:assert/strict";
import { run } from "../../../_run.ts";
import { type Home, withHome } from "../../../_osctl.ts";

async function filesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) names.push(name);
  return names.sort();
}

async function pidOf(home: Home, name = "os-default"): Promise<number> {
  return Number(
    await Deno.readTextFile(`${home.path}/.os/clusters/${name}/process`),
  );
}

Deno.test("cluster create embedded makes nodes that answer, destroy leaves nothing", async () => {
  await withHome(async (home) => {
    const created = await home.osctl(
      "cluster create embedded --controlplanes 3 --workers 2 -o json",
    );
    assert.equal(created.status, 0, created.err);
    const row = JSON.parse(created.out);
    assert.equal(row.nodes.length, 5);
    assert.equal(row.endpoints.length, 3);
    assert.equal(row.osconfig, `${home.path}/.os/config`);
    const memory = await home.osctl("memory");
    assert.equal(memory.out.split("\n").length, 7, memory.err);
    const workers = await home.osctl("memory -n @workers -o jsonl");
    assert.equal(workers.out.split("\n").length, 3, workers.err);

    const pid = await pidOf(home);
    const destroyed = await home.osctl("cluster destroy");
    assert.deepEqual(destroyed, {
      out: 'Cluster "os-default" is destroyed\n',
      err: "",
      status: 0,
    });
    assert.equal(alive(pid), false);
    assert.deepEqual(await filesIn(`${home.path}/.os/clusters`), []);
    const config = await Deno.readTextFile(`${home.path}/.os/config`);
    assert.equal(config, 'context: ""\ncontexts: {}\n');
  });
});

Deno.test("cluster create embedded refuses a name that is taken", async () => {
  await withHome(async (home) => {
    await home.osctl("cluster create embedded --workers 0");
    const { err, status } = await home.osctl("cluster create embedded");
    assert.equal(
      err,
      `error: Cannot create cluster "os-default": "${home.path}/.os/clusters/os-default" exists
hint: Remove it with: osctl cluster destroy --name os-default
`,
    );
    assert.equal(status, 2);
    assert.equal((await home.osctl("memory")).status, 0);
  });
});

Deno.test("cluster destroy leaves nothing after kill -9 of the nodes' process", async () => {
  await withHome(async (home) => {
    await home.osctl("cluster create embedded --workers 0");
    Deno.kill(await pidOf(home), "SIGKILL");
    const { status, err } = await home.osctl("cluster destroy");
    assert.deepEqual({ status, err }, { status: 0, err: "" });
    assert.deepEqual(await filesIn(`${home.path}/.os/clusters`), []);
  });
});

Deno.test("the nodes' process ends when its folder is removed by hand", async () => {
  await withHome(async (home) => {
    await home.osctl("cluster create embedded --workers 0");
    const pid = await pidOf(home);
    await Deno.remove(`${home.path}/.os/clusters/os-default`, {
      recursive: true,
    });
    while (alive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
  });
});

Deno.test("cluster create embedded names a wrong version", async () => {
  const { err, status } = await run(
    "cluster create embedded --os-version latest",
  );
  assert.equal(
    err,
    'error: Invalid value "latest" for --os-version\nhint: Give a version such as v1.12.0\n',
  );
  assert.equal(status, 2);
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

function alive(pid: number): boolean {
  try {
    return !Deno.readTextFileSync(`/proc/${pid}/stat`).includes(") Z ");
  } catch {
    return false;
  }
}
