import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";

Deno.test("etcd assess shows all control planes, and whether etcd has a quorum", async () => {
  await withWire({ controlplanes: 3, workers: 1 }, async (wire) => {
    const { osctl, cluster } = wire;
    const well = await osctl("etcd assess -n 10.5.0.5");
    assert.deepEqual(well, {
      ...well,
      out: `NODE       REACHABLE   SERVICE   DATA
10.5.0.2   true        Running   data
10.5.0.3   true        Running   data
10.5.0.4   true        Running   data
`,
      err: "etcd has a quorum: 3 voters, 3 healthy, 2 needed\n",
      status: 0,
    });
    await cluster.setFault("10.5.0.4", "unavailable");
    const { out, status } = await osctl("etcd assess -o jsonl");
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(out.trimEnd().split("\n").at(-1)!), {
      node: "10.5.0.4",
      reachable: false,
      service: "",
      dataDir: "unknown",
    });
  });
});

Deno.test("etcd assess says that no node lists members", async () => {
  await withWire({ bootstrapped: false }, async ({ osctl }) => {
    const { out, err } = await osctl("etcd assess");
    assert.match(out, /10\.5\.0\.2 +true +Preparing +empty\n$/);
    assert.equal(
      err,
      "etcd has lost its quorum: no member lists the others\n",
    );
  });
});
