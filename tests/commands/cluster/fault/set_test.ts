import assert from "node:assert/strict";
import { withHome } from "../../../_osctl.ts";
import { killServer } from "../../../_processes.ts";
import { run } from "../../../_run.ts";

Deno.test("cluster fault set, list and clear switch a fault of one node, and say when the nodes do not run", async () => {
  await withHome(async ({ osctl, path }) => {
    await osctl(
      "cluster create embedded --controlplanes 2 --workers 0 --etcd model -o json",
    );
    const shown = JSON.parse((await osctl("cluster show -o json")).out);
    const [first, second] = shown.nodes.map(({ ips }: { ips: string[] }) =>
      ips[0]
    );

    const set = await osctl(
      "cluster fault set unavailable -n os-default-controlplane-1",
    );
    assert.deepEqual(set, {
      out: `Fault unavailable is on in ${first}\n`,
      err: "",
      status: 0,
    });
    const down = await osctl(`memory -n ${first} -n ${second} -o jsonl`);
    assert.equal(down.status, 3);
    const rows = down.out.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ node, error }) => [node, error?.code]).sort(),
      [[first, "UNAVAILABLE"], [second, undefined]],
    );

    const list = await osctl("cluster fault list -o jsonl");
    const on = list.out.trim().split("\n").map((line) => JSON.parse(line))
      .filter(({ nodes }) => nodes.length > 0);
    assert.deepEqual(on, [{
      fault: "unavailable",
      nodes: [first],
      description: on[0].description,
    }]);

    const clear = await osctl("cluster fault clear");
    assert.equal(clear.out, `Fault unavailable is off in ${first}\n`);
    assert.equal((await osctl(`memory -n ${first}`)).status, 0);

    await killServer(`${path}/.os/clusters/os-default`);
    const { err, status } = await osctl("cluster fault set slow");
    assert.equal(
      err,
      `error: Cannot change faults of cluster "os-default": its nodes are not running
hint: Start them with: osctl cluster start --name os-default
`,
    );
    assert.equal(status, 1);
  });
});

Deno.test("cluster fault set names a fault that does not exist and a node that does not", async () => {
  const wrong = await run("cluster fault set blackhol");
  assert.match(
    wrong.err,
    /^error: Invalid value "blackhol" for argument <fault>: must be one of /,
  );
  assert.match(wrong.err, /\nhint: Did you mean blackhole\?\n/);
  assert.equal(wrong.status, 2);
});
