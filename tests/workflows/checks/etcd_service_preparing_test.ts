import assert from "node:assert/strict";
import { etcdServicePreparing } from "../../../workflows/checks/etcd_service_preparing.ts";
import { servicesOf, siteOf } from "./_site.ts";

Deno.test("etcd.servicePreparing holds while etcd waits to be begun", async () => {
  const look = (states: Readonly<Record<string, string>>) => {
    const c1 = { serviceList: () => servicesOf(states) };
    return etcdServicePreparing.look(
      siteOf({ nodes: { c1 }, node: "c1" }),
      {},
    );
  };
  assert.deepEqual(await look({ etcd: "Preparing" }), {
    ok: true,
    seen: "etcd is preparing",
  });
  assert.deepEqual(await look({ etcd: "Running" }), {
    ok: false,
    reason: "etcd of c1 is running",
  });
  assert.deepEqual(await look({}), {
    ok: false,
    reason: "etcd of c1 is not registered",
  });
});
