import assert from "node:assert/strict";
import {
  imageReference,
  parseImageName,
  storeOfInstance,
} from "../../../simulator/node/images.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";

const digest = `sha256:${"0".repeat(64)}`;

Deno.test("names of images are read in full", () => {
  const full = (text: string) => {
    const name = parseImageName(text);
    return name && imageReference(name);
  };
  assert.deepEqual(
    [
      "nginx",
      "user/tool:1.2",
      "localhost/tool",
      "HOST/tool",
      "host:5000/a/b-c:v1",
      `quay.io/a/b:v1@${digest}`,
    ].map(full),
    [
      "docker.io/library/nginx:latest",
      "docker.io/user/tool:1.2",
      "localhost/tool:latest",
      "HOST/tool:latest",
      "host:5000/a/b-c:v1",
      `quay.io/a/b@${digest}`,
    ],
  );
});

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
