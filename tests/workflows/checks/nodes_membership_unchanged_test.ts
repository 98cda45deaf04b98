import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { nodesMembershipUnchanged } from "../../../workflows/checks/nodes_membership_unchanged.ts";
import { resource, siteOf } from "./_site.ts";

/** A control plane that lists these members. */
function listing(...names: readonly string[]) {
  return {
    async *list() {
      for (const name of names) {
        const hostname = `${name}.lab`;
        const spec = { addresses: [name], hostname, machineType: "worker" };
        yield await Promise.resolve(resource(spec));
      }
    },
  };
}

const silent = {
  async *list() {
    yield await Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  },
};

Deno.test("nodes.membershipUnchanged names who has joined and who has left", async () => {
  const same = siteOf({ nodes: { c1: silent, c2: listing("c1", "c2") } });
  assert.deepEqual(await nodesMembershipUnchanged.look(same, {}), {
    ok: true,
    seen: "2 nodes",
  });
  const other = siteOf({ nodes: { c1: listing("c1", "w2"), w1: {} } });
  assert.deepEqual(await nodesMembershipUnchanged.look(other, {}), {
    ok: false,
    reason: "w1 has left; w2.lab has joined",
  });
});

Deno.test("nodes.membershipUnchanged cannot tell when no control plane answers", async () => {
  await assert.rejects(
    nodesMembershipUnchanged.look(siteOf({ nodes: { c1: silent } }), {}),
    { name: "RpcError" },
  );
  await assert.rejects(
    nodesMembershipUnchanged.look(siteOf({ nodes: { w1: {} } }), {}),
    { name: "OsctlError" },
  );
});
