import assert from "node:assert/strict";
import { nodeServices } from "../../../workflows/checks/node_services.ts";
import { servicesOf, siteOf } from "./_site.ts";

function look(
  states: Readonly<Record<string, string>>,
  services?: readonly string[],
) {
  const w1 = { serviceList: () => servicesOf(states) };
  return nodeServices.look(
    siteOf({ nodes: { w1 }, node: "w1" }),
    services === undefined ? {} : { services },
  );
}

Deno.test("node.services wants all to run, and those with a check to be healthy", async () => {
  assert.deepEqual(
    await look({ apid: "Running", udevd: "?Running", setup: "Finished" }),
    { ok: true, seen: "2 services healthy" },
  );
  assert.deepEqual(await look({ apid: "!Running", cri: "Failed" }), {
    ok: false,
    reason: "apid is not healthy (no answer); cri is failed (as told)",
  });
});

Deno.test("node.services looks for those that are named", async () => {
  assert.deepEqual(await look({ cri: "Failed", apid: "Running" }, ["apid"]), {
    ok: true,
    seen: "1 service healthy",
  });
  assert.deepEqual(await look({}, ["etcd"]), {
    ok: false,
    reason: "etcd is not registered",
  });
});
