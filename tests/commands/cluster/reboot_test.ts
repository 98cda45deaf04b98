import assert from "node:assert/strict";
import { withHome } from "../../_osctl.ts";
import { run } from "../../_run.ts";

Deno.test("cluster reboot switches the named nodes, or all, off and on again", async () => {
  await withHome(async ({ osctl }) => {
    await osctl("cluster create embedded --pace instant --etcd model");
    const [plane, worker] = ["controlplane-1", "worker-1"]
      .map((name) => `os-default-${name}`);
    const boots = () =>
      osctl(`read /proc/sys/kernel/random/boot_id -n ${worker}`);
    const { out: first } = await boots();
    assert.match(first, /^[0-9a-f-]{36}\n$/);
    for (const flag of ["--node", "-n"]) {
      assert.deepEqual(await osctl(`cluster reboot ${flag} ${worker}`), {
        out: `${worker} is rebooting\n`,
        err: "",
        status: 0,
      });
    }
    const all = await osctl("cluster reboot");
    assert.equal(all.out, `${plane} is rebooting\n${worker} is rebooting\n`);
    const deadline = performance.now() + 20_000;
    for (let now = first; now === first;) {
      assert.ok(performance.now() < deadline, "the nodes never came back");
      const read = await boots();
      if (read.status === 0) now = read.out;
    }
  });
});

Deno.test("cluster reboot names a cluster that does not exist", async () => {
  const { err, status } = await run(
    "cluster reboot --name lab --state /nowhere",
  );
  assert.match(err, /^error: Cannot find cluster "lab" in "\/nowhere"\n/);
  assert.equal(status, 2);
});
