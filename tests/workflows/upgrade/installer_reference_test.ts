import assert from "node:assert/strict";
import {
  installerFor,
  installerForFile,
  madeInstaller,
  parseInstaller,
} from "../../../workflows/upgrade/installer_reference.ts";
import type { NodeSystem } from "../../../workflows/upgrade/node_system.ts";

const schematic =
  "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";

Deno.test("the vendor's image has a version and no extensions", () => {
  const text = "ghcr.io/siderolabs/installer:v1.12.11";
  assert.deepEqual(parseInstaller(text), {
    text,
    repository: "ghcr.io/siderolabs/installer",
    version: "v1.12.11",
    schematic: undefined,
    platform: undefined,
    secureBoot: false,
    plain: true,
  });
});

Deno.test("the name of a made image is that of its platform since v1.10", () => {
  const make = { schematic, platform: "aws", secureBoot: false };
  assert.equal(
    madeInstaller({ ...make, version: "v1.12.1" }),
    `factory.talos.dev/aws-installer/${schematic}:v1.12.1`,
  );
  assert.equal(
    madeInstaller({ ...make, version: "v1.9.5", secureBoot: true }),
    `factory.talos.dev/installer-secureboot/${schematic}:v1.9.5`,
  );
  assert.equal(
    madeInstaller({ ...make, host: "factory.example", version: "v1.10.0" }),
    `factory.example/aws-installer/${schematic}:v1.10.0`,
  );
});

const schematicTarget =
  "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";

const system: NodeSystem = {
  version: "v1.12.1",
  arch: "amd64",
  platform: "metal",
  inContainer: false,
  secureBoot: false,
  schematic: undefined,
  customized: false,
  extensions: [],
  installImage: "ghcr.io/siderolabs/installer:v1.12.0",
  kubernetes: "",
};

function keep(changes: Partial<NodeSystem>): string {
  const wish = { image: null, to: "v1.12.2" };
  return installerFor(wish, { ...system, ...changes }).text;
}

Deno.test("a version keeps the image of the node", () => {
  assert.equal(keep({}), "ghcr.io/siderolabs/installer:v1.12.2");
  assert.equal(
    keep({ installImage: undefined }),
    "ghcr.io/siderolabs/installer:v1.12.2",
  );
  assert.equal(
    keep({ installImage: "registry.example:5000/team/installer:v1.12.1" }),
    "registry.example:5000/team/installer:v1.12.2",
  );
  assert.equal(
    keep({
      schematic: schematicTarget,
      customized: true,
      installImage:
        `registry.example/metal-installer/${schematicTarget}:v1.12.1`,
    }),
    `registry.example/metal-installer/${schematicTarget}:v1.12.2`,
  );
});

Deno.test("installer reference: the running image takes precedence over the configuration", () => {
  const customized = { schematic: schematicTarget, customized: true };
  assert.equal(
    keep(customized),
    `factory.talos.dev/metal-installer/${schematicTarget}:v1.12.2`,
  );
  assert.equal(
    keep({
      ...customized,
      secureBoot: true,
      installImage: `registry.example/a/installer/${"0".repeat(64)}:v1.11.0`,
    }),
    `registry.example/a/metal-installer-secureboot/${schematicTarget}:v1.12.2`,
  );
  // A schematic without any customization is what the vendor's own image is made from.
  assert.equal(
    keep({ schematic: schematicTarget }),
    "ghcr.io/siderolabs/installer:v1.12.2",
  );
});

Deno.test("since v1.14 the plain image is that of the image factory", () => {
  const plain =
    "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  const to = (version: string, changes: Partial<NodeSystem> = {}) =>
    installerFor({ image: null, to: version }, { ...system, ...changes }).text;
  assert.equal(
    to("v1.14.0"),
    `factory.talos.dev/metal-installer/${plain}:v1.14.0`,
  );
  assert.equal(
    to("v1.14.0", { platform: "aws", secureBoot: true }),
    `factory.talos.dev/aws-installer-secureboot/${plain}:v1.14.0`,
  );
  assert.equal(
    to("v1.14.0", { installImage: "registry.example/installer:v1.13.0" }),
    "registry.example/installer:v1.14.0",
  );
  assert.equal(to("v1.13.9"), "ghcr.io/siderolabs/installer:v1.13.9");
  assert.equal(
    installerForFile("ghcr.io/siderolabs/installer:v1.13.0", "v1.14.0"),
    `factory.talos.dev/metal-installer/${plain}:v1.14.0`,
  );
  assert.equal(
    installerForFile("registry.example/installer:v1.13.0", "v1.14.0"),
    "registry.example/installer:v1.14.0",
  );
});
