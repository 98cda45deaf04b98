import assert from "node:assert/strict";
import { storeOfInstance } from "../../../simulator/node/images.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";

Deno.test("an instance is a runtime and a namespace", () => {
  const place = (driver: Driver, namespace: Namespace) =>
    storeOfInstance({ driver, namespace });
  assert.equal(place(Driver.CRI, Namespace.NS_CRI), "cri/k8s.io");
  assert.equal(place(Driver.CRI, Namespace.NS_SYSTEM), "cri/system");
  assert.equal(place(Driver.CONTAINERD, Namespace.NS_SYSTEM), "system/system");
  assert.throws(() => place(7 as Driver, Namespace.NS_CRI), {
    code: "INVALID_ARGUMENT",
    message: "invalid containerd driver 7",
  });
});
