import assert from "node:assert/strict";
import type { NodeSystem } from "../../../workflows/upgrade/node_system.ts";
import { installerFor } from "../../../workflows/upgrade/target.ts";

const schematic =
  "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";

const system: NodeSystem = {
  version: "v1.12.1",
  arch: "amd64",
  platform: "metal",
  secureBoot: false,
  schematic: undefined,
  customized: false,
  extensions: [],
  installImage: "ghcr.io/siderolabs/installer:v1.12.0",
  kubernetes: "",
};

function kept(changes: Partial<NodeSystem>): string {
  const wish = { image: null, to: "v1.12.2" };
  return installerFor(wish, { ...system, ...changes }).text;
}

Deno.test("an image that is named is taken as it is", () => {
  const wish = { image: "registry.example/installer:x", to: null };
  assert.equal(installerFor(wish, system).text, "registry.example/installer:x");
});

Deno.test("a version keeps the image of the node", () => {
  assert.equal(kept({}), "ghcr.io/siderolabs/installer:v1.12.2");
  assert.equal(
    kept({ installImage: undefined }),
    "ghcr.io/siderolabs/installer:v1.12.2",
  );
  assert.equal(
    kept({ installImage: "registry.example:5000/team/installer:v1.12.1" }),
    "registry.example:5000/team/installer:v1.12.2",
  );
  assert.equal(
    kept({
      schematic,
      customized: true,
      installImage: `registry.example/metal-installer/${schematic}:v1.12.1`,
    }),
    `registry.example/metal-installer/${schematic}:v1.12.2`,
  );
});

Deno.test("what runs counts more than what the configuration says", () => {
  const customized = { schematic, customized: true };
  assert.equal(
    kept(customized),
    `factory.talos.dev/metal-installer/${schematic}:v1.12.2`,
  );
  assert.equal(
    kept({
      ...customized,
      secureBoot: true,
      installImage: `registry.example/a/installer/${"0".repeat(64)}:v1.11.0`,
    }),
    `registry.example/a/metal-installer-secureboot/${schematic}:v1.12.2`,
  );
  // A schematic without any customization is what the vendor's own image is made from.
  assert.equal(
    kept({ schematic }),
    "ghcr.io/siderolabs/installer:v1.12.2",
  );
});
