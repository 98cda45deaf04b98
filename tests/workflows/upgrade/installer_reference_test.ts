import assert from "node:assert/strict";
import {
  madeInstaller,
  parseInstaller,
} from "../../../workflows/upgrade/installer_reference.ts";

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

Deno.test("an image made from a schematic says so, with platform and secure boot", () => {
  const text =
    `registry.example:5000/metal-installer-secureboot/${schematic}:v1.13.0`;
  assert.deepEqual(parseInstaller(text), {
    text,
    repository: `registry.example:5000/metal-installer-secureboot/${schematic}`,
    version: "v1.13.0",
    schematic,
    platform: "metal",
    secureBoot: true,
    plain: false,
  });
  const old = parseInstaller(`factory.talos.dev/installer/${schematic}:v1.9.0`);
  assert.deepEqual([old.platform, old.secureBoot], [undefined, false]);
});

Deno.test("other images say little", () => {
  const own = parseInstaller("registry.example:5000/team/installer:latest");
  assert.deepEqual(
    [own.repository, own.version, own.schematic, own.secureBoot, own.plain],
    [
      "registry.example:5000/team/installer",
      undefined,
      undefined,
      undefined,
      false,
    ],
  );
  const digest = parseInstaller(
    "registry.example:5000/installer@sha256:0123",
  );
  assert.deepEqual(
    [digest.repository, digest.version],
    ["registry.example:5000/installer", undefined],
  );
  const both = parseInstaller("ghcr.io/siderolabs/installer:v1.12.1@sha256:01");
  assert.deepEqual([both.version, both.plain], ["v1.12.1", true]);
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
