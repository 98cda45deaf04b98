import assert from "node:assert/strict";
import { InputProblem } from "../../commands/_kit/mod.ts";
import {
  allowInput,
  imageInputs,
  upgradeInput,
} from "../../commands/_upgrade_inputs.ts";
import { UsageError } from "../../errors.ts";

const neither = { image: undefined, to: undefined };

Deno.test("an image, or a version for the image each node has, is requested", () => {
  const usual = {
    stage: false,
    force: false,
    preserve: false,
    mode: "default",
    insecure: false,
    drainMs: 0,
    wait: true,
    allow: [],
  };
  assert.deepEqual(upgradeInput({ ...neither, to: "1.13.1" }), {
    ...usual,
    image: null,
    to: "v1.13.1",
  });
  assert.deepEqual(upgradeInput({ ...neither, image: "x" }, { stage: true }), {
    ...usual,
    stage: true,
    image: "x",
    to: null,
  });
  assert.equal(
    upgradeInput(neither).image,
    "ghcr.io/siderolabs/installer:v1.12.11",
  );
});

Deno.test("both an image and a version, and what is not a version are refused", () => {
  const wrong = [
    { image: "x", to: "v1.13.1" },
    { image: undefined, to: "latest" },
  ];
  for (const flags of wrong) {
    assert.throws(() => upgradeInput(flags), UsageError);
  }
  assert.throws(() => imageInputs.image.parse(""), InputProblem);
});

Deno.test("rules of upgrades and of the quorum may be overridden", () => {
  assert.deepEqual(
    allowInput.parse("image-identity,etcd-quorum", undefined),
    ["image-identity", "etcd-quorum"],
  );
});
