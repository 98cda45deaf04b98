import assert from "node:assert/strict";
import { powerOff } from "../../../simulator/boot/boot.ts";
import { withWire } from "../../_wire.ts";

Deno.test("failures name nodes and addresses, what was tried, the roles, and the node that was meant", async () => {
  await withWire({ controlplanes: 1, workers: 1 }, async (wire) => {
    const { cluster, names: [plane = "", worker = ""], osctl } = wire;
    const [, node] = cluster.nodes;
    const name = node?.identity.hostname ?? "";

    const missing = await osctl(`memory -n ${name}x --verbose`);
    assert.equal(
      missing.err,
      `error: ${name}x: cannot connect: no such node
hint: Did you mean node "${name}"?
raw: ${name}x: name resolver error: produced zero addresses
`,
    );
    const unlike = await osctl("get members -n thing");
    assert.equal(
      unlike.err,
      `error: thing: cannot connect: no such node
hint: No node is named "thing"; there are simulated-controlplane-1, simulated-worker-1
`,
    );

    const reader = await osctl([
      "config",
      "new",
      `${wire.osconfig}.reader`,
      "--roles",
      "os:reader",
      "-n",
      plane,
    ]);
    assert.equal(reader.status, 0, reader.err);
    const env = { OSCONFIG: `${wire.osconfig}.reader` };
    const denied = await osctl(`service kubelet restart -n ${worker}`, { env });
    assert.match(
      denied.err,
      /error: simulated-worker-1 \(10\.5\.0\.3\): .*not authorized: it needs the role os:operator\nhint: The certificate of context ".*" has os:reader; choose another context with --context\n/,
    );
    const secret = await osctl(`get mc -n ${worker}`, { env });
    assert.match(secret.err, /it needs the role os:admin, as resources with/);

    if (node !== undefined) powerOff(node);
    const off = await osctl("memory -n @all");
    assert.match(
      off.err,
      /\nerror: simulated-worker-1 \(10\.5\.0\.3\): cannot connect to 10\.5\.0\.3:50000: (connection refused|no route to host)\nhint: Check that the node is up/,
    );
    assert.equal(off.status, 3);
  });
});
