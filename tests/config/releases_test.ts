import assert from "node:assert/strict";
import {
  defaultInstaller,
  findRelease,
  isFactoryOnly,
} from "../../config/releases.ts";

const plain =
  "factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
const mirrored = "gcr.io/etcd-development/etcd";

Deno.test("each minor version has the defaults of its newest release", () => {
  const rows = [8, 9, 10, 11, 12, 13, 14].map((minor) => {
    const release = findRelease(`v1.${minor}`);
    const { tag, kubernetes, installer, etcd, flannel, pause } = release;
    return [
      ...[tag, kubernetes, installer, etcd],
      ...[release.coreDns.split(":")[1], flannel.split(":")[1], pause],
    ].join(" ");
  });
  const by = (tag: string) => `ghcr.io/siderolabs/installer:${tag}`;
  const [etcd, pause] = ["registry.k8s.io/etcd", "registry.k8s.io/pause"];
  assert.deepEqual(rows, [
    `v1.8.4 1.31.4 ${
      by("v1.8.4")
    } ${mirrored}:v3.5.17 v1.11.3 v0.25.7 ${pause}:3.10`,
    `v1.9.6 1.32.4 ${
      by("v1.9.6")
    } ${mirrored}:v3.5.21 v1.12.0 v0.26.5 ${pause}:3.10`,
    `v1.10.9 1.33.6 ${
      by("v1.10.9")
    } ${mirrored}:v3.5.26 v1.12.1 v0.26.7 ${pause}:3.10`,
    `v1.11.6 1.34.1 ${
      by("v1.11.6")
    } ${mirrored}:v3.6.5 v1.12.4 v0.27.4 ${pause}:3.10`,
    `v1.12.11 1.35.4 ${
      by("v1.12.11")
    } ${etcd}:v3.6.11 v1.14.2 v0.27.4 ${pause}:3.10.1`,
    `v1.13.9 1.36.3 ${
      by("v1.13.9")
    } ${etcd}:v3.6.12 v1.14.6 0.28.8 ${pause}:3.10.1`,
    `v1.14.0-rc.1 1.37.0-rc.0 ${plain}:v1.14.0-rc.1 ${etcd}:3.7.1 v1.14.6 0.28.9 ${pause}:3.10.2`,
  ]);
});

Deno.test("versions that are not known have the defaults of the nearest one", () => {
  assert.equal(findRelease("v1.2.0").tag, "v1.8.4");
  assert.equal(findRelease("v1.99.0").tag, "v1.14.0-rc.1");
  assert.equal(findRelease("v2.0.0").tag, "v1.14.0-rc.1");
  assert.equal(findRelease("latest").tag, "v1.12.11");
});

Deno.test("since v1.14 only the image factory has the installer", () => {
  assert.equal(isFactoryOnly("v1.13.9"), false);
  assert.equal(isFactoryOnly("v1.14.0-alpha.0"), true);
  assert.equal(defaultInstaller("v1.14.1"), `${plain}:v1.14.1`);
});
