import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { presentMembers } from "../../../workflows/checks/present_members.ts";
import { resource, siteOf } from "./_site.ts";

const silent = {
  async *list() {
    yield await Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  },
};

const listing = {
  async *list() {
    const spec = {
      addresses: ["10.0.0.9"],
      hostname: "late",
      machineType: "worker",
    };
    yield await Promise.resolve(resource(spec));
  },
};

Deno.test("members of this moment are told by the first control plane that answers", async () => {
  const site = siteOf({ nodes: { c1: silent, c2: listing } });
  const members = await presentMembers(site);
  assert.deepEqual(members.map(({ hostname }) => hostname), ["late"]);
});

Deno.test("members of this moment are not told when no control plane answers", async () => {
  await assert.rejects(presentMembers(siteOf({ nodes: { c1: silent } })), {
    name: "RpcError",
  });
});
