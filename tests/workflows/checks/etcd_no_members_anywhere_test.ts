import assert from "node:assert/strict";
import { etcdNoMembersAnywhere } from "../../../workflows/checks/etcd_no_members_anywhere.ts";
import { servicesOf, siteOf } from "./_site.ts";

const controlPlane = (state: string, names: readonly string[]) => ({
  serviceList: () => servicesOf({ etcd: state }),
  async *list() {
    for (const relativeName of [".", ...names]) {
      yield await Promise.resolve({ relativeName });
    }
  },
});

Deno.test("etcd.noMembersAnywhere wants neither a running etcd nor its data, on control planes", async () => {
  const empty = siteOf({
    nodes: { c1: controlPlane("Preparing", []), w1: {} },
  });
  assert.deepEqual(await etcdNoMembersAnywhere.look(empty, {}), {
    ok: true,
    seen: "1 control plane without",
  });
  const used = siteOf({
    nodes: {
      c1: controlPlane("Running", []),
      c2: controlPlane("Preparing", ["member"]),
      c3: {
        ...controlPlane("Preparing", []),
        async *list() {
          yield await Promise.resolve({ error: "no" });
        },
      },
    },
  });
  assert.deepEqual(await etcdNoMembersAnywhere.look(used, {}), {
    ok: false,
    reason:
      "c1: etcd runs; c2: there is data of etcd; c3: it does not show the folder of etcd",
  });
});
