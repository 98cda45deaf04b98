import assert from "node:assert/strict";
import {
  readService,
  serviceProblem,
} from "../../../workflows/checks/service_state.ts";
import { servicesOf, siteOf } from "./_site.ts";

async function problem(state: string, checked: boolean) {
  const a = { serviceList: () => servicesOf({ etcd: state }) };
  const client = await siteOf({ nodes: { a } }).cluster.at("a");
  return serviceProblem("etcd", await readService(client, "etcd"), checked);
}

Deno.test("serviceProblem tells what keeps a service from working", async () => {
  assert.equal(await problem("Running", true), undefined);
  assert.equal(await problem("?Running", false), undefined);
  assert.equal(await problem("?Running", true), "etcd is not healthy");
  assert.equal(
    await problem("!Running", false),
    "etcd is not healthy (no answer)",
  );
  assert.equal(await problem("Waiting", false), "etcd is waiting (as told)");
  assert.equal(
    serviceProblem("etcd", undefined, false),
    "etcd is not registered",
  );
});
