import assert from "node:assert/strict";
import {
  newerInstaller,
  osVersionIn,
  unknownIn,
} from "../../../config/change/version_fit.ts";
import { documentsOf } from "./_documents.ts";

Deno.test("osVersionIn reads tags", () => {
  assert.equal(osVersionIn("v1.12.3"), "1.12");
  assert.equal(osVersionIn("v1.13.0-beta.1"), "1.13");
  assert.equal(osVersionIn("1.9"), "1.9");
  assert.equal(osVersionIn("latest"), undefined);
  assert.equal(osVersionIn(""), undefined);
});

const newKind = `machine: {type: worker}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: a
`;

Deno.test("unknownIn finds kinds that came later", () => {
  const found = unknownIn(documentsOf(newKind), "1.11");
  assert.deepEqual(
    found.map(({ document, identity, path, message, hint }) => [
      document,
      identity,
      path,
      message,
      hint,
    ]),
    [[
      2,
      "HostnameConfig",
      "kind",
      "Version 1.11 does not support HostnameConfig",
      "It is supported since 1.12",
    ]],
  );
  assert.deepEqual(unknownIn(documentsOf(newKind), "1.12"), []);
});

Deno.test("unknownIn finds keys that came later", () => {
  const found = unknownIn(
    documentsOf(
      "machine: {install: {disk: /dev/sda, grubUseUKICmdline: true}}",
    ),
    "1.11",
  );
  assert.deepEqual(found.map(({ path, message }) => [path, message]), [[
    "machine.install.grubUseUKICmdline",
    "Version 1.11 does not support this key",
  ]]);
});

Deno.test("unknownIn does not know of kinds that are not described when the node is newer", () => {
  const foreign = documentsOf("apiVersion: v1alpha1\nkind: BGPInstanceConfig");
  assert.deepEqual(unknownIn(foreign, "1.14"), []);
  assert.deepEqual(unknownIn(foreign, "1.12").map(({ message }) => message), [
    "Version 1.12 does not support BGPInstanceConfig",
  ]);
});

function image(name: string) {
  return documentsOf(`machine: {install: {image: "${name}"}}`);
}

Deno.test("newerInstaller tells when the installer is of a newer version", () => {
  const old = image("example.org/installer:v1.12.0");
  const next = image("example.org:5000/x/installer:v1.13.1");
  assert.equal(
    newerInstaller(old, next, "1.12"),
    "example.org:5000/x/installer:v1.13.1",
  );
  assert.equal(newerInstaller(old, next, "1.13"), undefined);
  assert.equal(newerInstaller(next, next, "1.12"), undefined);
  assert.equal(newerInstaller([], old, "1.12"), undefined);
  assert.equal(
    newerInstaller([], image("example.org/installer@sha256:ab"), "1.8"),
    undefined,
  );
  assert.equal(
    newerInstaller(old, image("e.org/i:v1.14.0@sha256:ab"), "1.12"),
    "e.org/i:v1.14.0@sha256:ab",
  );
});

Deno.test("newerInstaller finds the installer in a document of its own", () => {
  const next = documentsOf(
    "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: UnattendedInstallConfig\n" +
      "installer: {image: e.org/i:v1.14.0}\n",
  );
  const old = image("example.org/installer:v1.13.0");
  assert.equal(newerInstaller(old, next, "1.13"), "e.org/i:v1.14.0");
  assert.equal(newerInstaller(old, next, "1.14"), undefined);
});
