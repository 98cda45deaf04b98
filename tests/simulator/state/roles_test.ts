import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { authorize } from "../../../simulator/state/roles.ts";

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
  const changing = [
    "ApplyConfiguration",
    "Kubeconfig",
    "MetaDelete",
    "MetaWrite",
    "Reset",
    "Rollback",
    "Upgrade",
  ];
  for (const method of changing) {
    assert.equal(allowed(`/machine.MachineService/${method}`), "admin");
  }
  const operating = [
    "ImagePull",
    "Restart",
    "ServiceRestart",
    "ServiceStart",
    "ServiceStop",
    "Shutdown",
  ];
  for (const method of operating) {
    const path = `/machine.MachineService/${method}`;
    assert.equal(allowed(path), "admin,operator");
  }
  assert.equal(
    allowed("/machine.MachineService/ImageList"),
    "admin,operator,reader",
  );
  assert.equal(allowed("/machine.ImageService/List"), "admin,operator,reader");
  assert.equal(
    allowed("/machine.ImageService/Verify"),
    "admin,operator,reader",
  );
  assert.equal(allowed("/machine.ImageService/Pull"), "admin,operator");
  assert.equal(allowed("/machine.ImageService/Remove"), "admin");
  assert.equal(allowed("/machine.LifecycleService/Upgrade"), "admin");
  assert.equal(allowed("/storage.StorageService/BlockDeviceWipe"), "admin");
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

Deno.test("a node without a configuration can be given one by readers", () => {
  const readers = new Set(["os:reader"]);
  const bare = { bare: true };
  authorize("/machine.MachineService/ApplyConfiguration", readers, bare);
  authorize("/storage.StorageService/BlockDeviceWipe", readers, bare);
  assert.throws(
    () => authorize("/machine.MachineService/Reset", readers, bare),
    { code: "PERMISSION_DENIED" },
  );
});
