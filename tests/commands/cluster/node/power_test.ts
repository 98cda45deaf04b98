import assert from "node:assert/strict";
import { withHome } from "../../../_osctl.ts";
import { killServer } from "../../../_processes.ts";
import { run } from "../../../_run.ts";

Deno.test("a node that was shut down is off, also after a restart of its cluster, until it is switched on", async () => {
  await withHome(async ({ path, osctl }) => {
    await osctl("cluster create embedded --pace instant --etcd model");
    const worker = "os-default-worker-1";
    const readState = async () => {
      const { out } = await osctl("cluster show");
      return out.split("\n").find((line) => line.startsWith(worker))
        ?.split(/\s+/)[3];
    };
    assert.equal(await readState(), "on");
    await osctl(`shutdown -n ${worker} --yes --wait=false`);
    const deadline = performance.now() + 20_000;
    while (await readState() !== "off") {
      assert.ok(performance.now() < deadline, "the node never went off");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await killServer(`${path}/.os/clusters/os-default`);
    const started = await osctl("cluster start");
    assert.equal(
      started.out,
      `Cluster "os-default" is running; switched off: ${worker}\n`,
    );
    // Its dependency comes first.
    const hint =
      `hint: Switch a node on with: osctl cluster node power on ${worker}\n`;
    assert.ok(started.err.endsWith(hint), started.err);
    assert.equal(await readState(), "off");
    assert.deepEqual(await osctl(`cluster node power on ${worker}`), {
      out: `${worker} is switched on\n`,
      err: "",
      status: 0,
    });
    assert.equal(await readState(), "on");
    const version = await osctl(`version -n ${worker} --short`);
    assert.equal(version.status, 0, version.err);
  });
});

Deno.test("a node that did not return from a reboot is off until it is switched on", async () => {
  await withHome(async ({ osctl }) => {
    await osctl("cluster create embedded --pace instant --etcd model");
    const worker = "os-default-worker-1";
    const states = async () => {
      const { out } = await osctl("cluster show -o jsonl");
      return JSON.parse(out).off.length;
    };
    assert.equal(await states(), 0);
    await osctl(`cluster fault set never-returns -n ${worker}`);
    await osctl(`reboot -n ${worker} --yes --wait=false`);
    const deadline = performance.now() + 20_000;
    while (await states() !== 1) {
      assert.ok(performance.now() < deadline, "the node never went off");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await osctl(`cluster node power on ${worker}`);
    assert.equal(await states(), 0);
  });
});

Deno.test("cluster node power names an action and a node that do not exist", async () => {
  const { err, status } = await run("cluster node power onn web-1");
  assert.match(err, /must be one of on, off, cycle\nhint: Did you mean on\?/);
  assert.equal(status, 2);
});
