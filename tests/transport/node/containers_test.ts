import assert from "node:assert/strict";
import { ContainerDriver } from "../../../transport/gen/common.ts";
import {
  byContainerId,
  containerRuntime,
  shortId,
} from "../../../transport/node/containers.ts";

Deno.test("containers of Kubernetes are asked of the CRI, those of the system of containerd", () => {
  assert.deepEqual(
    [containerRuntime(true), containerRuntime(false)],
    [
      { namespace: "k8s.io", driver: ContainerDriver.CRI },
      { namespace: "system", driver: ContainerDriver.CONTAINERD },
    ],
  );
});

Deno.test("containers are ordered by id, and equal ids are equal", () => {
  const [a, b] = [{ id: "a" }, { id: "b" }];
  assert.deepEqual(
    [byContainerId(a, b), byContainerId(b, a), byContainerId(a, { id: "a" })],
    [-1, 1, 0],
  );
});

Deno.test("shortId leaves out of a container's id what its pod above says", () => {
  const podId = "kube-system/etcd-one";
  assert.equal(shortId({ id: podId, podId }), podId);
  assert.equal(shortId({ id: `${podId}:etcd:0123`, podId }), "└─ etcd:0123");
  assert.equal(shortId({ id: "apid", podId: "apid" }), "apid");
});
