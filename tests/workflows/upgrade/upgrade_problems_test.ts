import assert from "node:assert/strict";
import type { NodeSystem } from "../../../workflows/upgrade/node_system.ts";
import {
  runsAlready,
  unknownsOfImage,
  upgradeProblems,
} from "../../../workflows/upgrade/upgrade_problems.ts";
import { parseInstaller } from "../../../workflows/upgrade/installer_reference.ts";

const schematic =
  "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";
const other = "0".repeat(64);

const plain: NodeSystem = {
  version: "v1.12.1",
  arch: "amd64",
  platform: "metal",
  inContainer: false,
  secureBoot: false,
  schematic: undefined,
  customized: false,
  extensions: [],
  installImage: undefined,
  kubernetes: "",
};

const extended: NodeSystem = {
  ...plain,
  schematic,
  customized: true,
  extensions: [
    { name: "iscsi-tools", version: "v0.2.0" },
    { name: "zfs", version: "2.4.0" },
  ],
};

function listProblems(system: NodeSystem, image: string): readonly string[] {
  return upgradeProblems(system, parseInstaller(image)).map((
    { rule, text, allowance },
  ) => `${rule} ${allowance}: ${text}`);
}

const vendor = "ghcr.io/siderolabs/installer:v1.12.2";

Deno.test("extensions must not vanish", () => {
  const rule = "S9 image-identity: ";
  assert.deepEqual(listProblems(extended, vendor), [
    `${rule}the image does not contain iscsi-tools, zfs`,
  ]);
  assert.deepEqual(listProblems({ ...extended, extensions: [] }, vendor), [
    `${rule}the image does not contain its customization`,
  ]);
  assert.deepEqual(
    listProblems(
      extended,
      `factory.talos.dev/metal-installer/${other}:v1.12.2`,
    ),
    [
      `${rule}the image has another schematic (000000000000…), and the node's holds iscsi-tools, zfs`,
    ],
  );
  assert.deepEqual(
    listProblems(
      extended,
      `factory.talos.dev/metal-installer/${schematic}:v1.12.2`,
    ),
    [],
  );
});

Deno.test("an image of the node's own kind is trusted, a strange one is not", () => {
  const image = "registry.example/installer:v1.12.2";
  assert.deepEqual(listProblems(extended, image), [
    "S9 image-identity: the image name does not show whether it contains iscsi-tools, zfs",
  ]);
  const own = { ...extended, installImage: "registry.example/installer:v1" };
  assert.deepEqual(listProblems(own, image), []);
});

Deno.test("secure boot and platform stay", () => {
  const make = (path: string) =>
    `registry.example/${path}/${schematic}:v1.12.2`;
  assert.deepEqual(
    listProblems({ ...extended, secureBoot: true }, make("installer")),
    [
      "S9 image-identity: the node runs with Secure Boot, but the image is built without it",
    ],
  );
  assert.deepEqual(listProblems(extended, make("metal-installer-secureboot")), [
    "S9 image-identity: the node runs without Secure Boot, but the image is built for it",
  ]);
  assert.deepEqual(listProblems(extended, make("aws-installer")), [
    "S9 image-identity: the node runs on metal, and the image is for aws",
  ]);
  const silent = { ...extended, secureBoot: undefined, platform: "" };
  assert.deepEqual(listProblems(silent, make("aws-installer-secureboot")), []);
});

Deno.test("a node runs an image already when version and schematic are the same", () => {
  const runs = (system: NodeSystem, image: string) =>
    runsAlready(system, parseInstaller(image));
  const same = "ghcr.io/siderolabs/installer:v1.12.1";
  assert.equal(runs(plain, same), true);
  assert.equal(runs({ ...plain, schematic }, same), true);
  assert.equal(runs(plain, vendor), false);
  assert.equal(runs(extended, same), false);
  assert.equal(runs(plain, `${same}@sha256:01`), false);
  assert.equal(runs(plain, "registry.example/installer:v1.12.1"), false);
  const made = (id: string) => `registry.example/installer/${id}:v1.12.1`;
  assert.equal(runs(extended, made(schematic)), true);
  assert.equal(runs(extended, made(other)), false);
});

Deno.test("upgrade problems: names what only a registry knows", () => {
  const exists = "whether the image exists and for which architectures";
  assert.deepEqual(unknownsOfImage(parseInstaller(vendor)), [exists]);
  assert.deepEqual(
    unknownsOfImage(parseInstaller("registry.example/installer")),
    [exists, "its version", "the extensions in it"],
  );
});

Deno.test("the version of Kubernetes on a node must fit the image", () => {
  const node = { ...plain, kubernetes: "v1.30.2" };
  assert.deepEqual(listProblems(node, vendor), []);
  assert.deepEqual(listProblems(node, "ghcr.io/siderolabs/installer:v1.13.0"), [
    "S8 version-path: Kubernetes v1.30.2 is too old for v1.13.0, which supports v1.31 to v1.36",
  ]);
  assert.ok(
    unknownsOfImage(parseInstaller("ghcr.io/siderolabs/installer:v1.99.0"))
      .includes("which versions of Kubernetes it supports"),
  );
});
