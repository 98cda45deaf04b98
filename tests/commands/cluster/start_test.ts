import assert from "node:assert/strict";
import { start, withHome } from "../../_osctl.ts";
import { killServer } from "../../_processes.ts";
import { run } from "../../_run.ts";

Deno.test("cluster start brings nodes back after kill -9, under the same addresses and for the same context", async () => {
  await withHome(async ({ path, env, osctl }) => {
    const created = await osctl(
      "cluster create embedded --controlplanes 2 --workers 1 --etcd model -o json",
    );
    const { endpoints, nodes } = JSON.parse(created.out);
    const folder = `${path}/.os/clusters/os-default`;
    const process = `${folder}/process`;
    const before = await Deno.readTextFile(process);
    await killServer(folder);
    // A process remembers endpoints that were down.
    assert.equal((await start({ env }, "memory").output()).code, 1);

    const started = await osctl("cluster start -o json");
    assert.deepEqual([started.err, started.status], ["", 0]);
    assert.deepEqual(JSON.parse(started.out), {
      name: "os-default",
      endpoints,
      off: [],
    });
    const memory = await osctl("memory -o jsonl");
    assert.equal(memory.status, 0, memory.err);
    const rows = memory.out.trim().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(rows.map(({ node }) => node).sort(), nodes);

    // Nothing is started twice.
    const after = await Deno.readTextFile(process);
    const { out, err, status } = await run("cluster start", {}, { env });
    assert.equal(out, 'Cluster "os-default" is running\n');
    assert.deepEqual([err, status], ["", 0]);
    assert.equal(await Deno.readTextFile(process), after);
    assert.notEqual(after, before);
  });
});

Deno.test("cluster start does not wait for a cluster that is not there", async () => {
  const { err, status } = await run(
    "cluster start --name lab --state /nowhere",
  );
  assert.equal(
    err,
    `error: Cannot find cluster "lab" in "/nowhere"
hint: List the clusters with: osctl cluster show --all
`,
  );
  assert.equal(status, 2);
});
