import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";
import { run } from "../_run.ts";

Deno.test("rotate-ca shows what would be done to each node, and changes nothing", async () => {
  await withWire({ workers: 1 }, async ({ osctl }) => {
    const before = await osctl("ca report");
    const { out, err, status } = await osctl("rotate-ca");
    assert.equal(status, 0, err);
    const lines = out.trimEnd().split("\n")
      .map((line) => line.replaceAll(/[0-9a-f]{12}/g, "X").split(/ {2,}/));
    const steps = "accept new > issue new, accept old > drop old";
    assert.deepEqual(lines, [
      ["AUTHORITY", "NODE", "ROLE", "ISSUING", "ACCEPTED", "STEPS"],
      ["os", "10.5.0.2", "controlplane", "X", steps],
      ["kubernetes", "10.5.0.2", "controlplane", "X", steps],
      ["os", "10.5.0.3", "worker", "X", steps],
      ["kubernetes", "10.5.0.3", "worker", "X", steps],
    ]);
    assert.equal(
      err,
      "Nothing was changed. Do it with: osctl runbook run rotate-ca --input os=true --input kubernetes=true --input osconfig=osconfig --input secretsOut=osconfig.secrets.yaml\n",
    );
    assert.deepEqual(await osctl("ca report"), before);
  });
});

Deno.test("rotate-ca takes nodes that are named, an init node among them", async () => {
  await withWire({ controlplanes: 2, workers: 1 }, async ({ osctl }) => {
    const { out, status } = await osctl(
      "rotate-ca --kubernetes=false --init-node 10.5.0.3 --control-plane-nodes 10.5.0.2 --worker-nodes 10.5.0.4",
    );
    assert.equal(status, 0);
    assert.deepEqual(
      [...out.matchAll(/10\.5\.0\.\d/g)].map(([node]) => node),
      ["10.5.0.2", "10.5.0.3", "10.5.0.4"],
    );
    const none = await osctl("rotate-ca --worker-nodes 10.5.0.4");
    assert.equal(none.status, 2);
    assert.match(none.err, /no control plane/);
  });
});

Deno.test("rotate-ca refuses what makes no sense", async () => {
  const nothing = await run("rotate-ca --os=false --kubernetes=false");
  assert.equal(nothing.status, 2);
  assert.match(nothing.err, /Nothing is left to exchange/);
  const name = await run("rotate-ca --worker-nodes worker-1", { "": {} });
  assert.equal(name.status, 2);
  assert.match(name.err, /"worker-1" is not an IP address/);
  const real = await run("rotate-ca --dry-run=false --os=false -o new");
  assert.equal(real.status, 2);
  assert.match(
    real.err,
    /osctl runbook run rotate-ca --input os=false --input kubernetes=true --input osconfig=new --input secretsOut=new\.secrets\.yaml/,
  );
});
