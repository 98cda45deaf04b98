import assert from "node:assert/strict";
import { freePorts } from "../../../../simulator/etcd/real/server_arguments.ts";

Deno.test("an address of another machine has no free ports", () => {
  assert.throws(() => freePorts("192.0.2.1"), Deno.errors.AddrNotAvailable);
});
