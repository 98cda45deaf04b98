import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { authorize } from "../../simulator/roles.ts";

function allowed(method: string): string {
  const roles = [
    "os:admin",
    "os:operator",
    "os:reader",
    "os:etcd:backup",
    "os:impersonator",
  ];
  return roles.filter((role) => {
    try {
      authorize(method, new Set([role]));
      return true;
    } catch {
      return false;
    }
  }).map((role) => role.slice(3)).join();
}

Deno.test("every method is for the roles nodes give it to", () => {
  assert.equal(
    allowed("/machine.MachineService/Version"),
    "admin,operator,reader",
  );
  assert.equal(allowed("/machine.MachineService/Reboot"), "admin,operator");
  assert.equal(allowed("/machine.MachineService/Read"), "admin");
  assert.equal(
    allowed("/machine.MachineService/EtcdSnapshot"),
    "admin,operator,etcd:backup",
  );
  assert.equal(
    allowed("/machine.MachineService/EtcdStatus"),
    "admin,operator,reader,etcd:backup",
  );
  assert.equal(allowed("/cosi.resource.State/Update"), "admin");
  assert.equal(allowed("/machine.MachineService/Unheard"), "admin");
});

Deno.test("one of several roles is enough, and none is not", () => {
  authorize(
    "/machine.MachineService/Reboot",
    new Set(["friends", "os:operator"]),
  );
  assert.throws(
    () => authorize("/machine.MachineService/Version", new Set()),
    new RpcError("PERMISSION_DENIED", "not authorized"),
  );
});
