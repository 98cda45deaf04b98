import assert from "node:assert/strict";
import { upgradeImageIdentity } from "../../../workflows/checks/upgrade_image_identity.ts";
import { siteOf } from "./_site.ts";
import { otherSchematic, systemHandlers } from "../operations/_system.ts";

const nodes = {
  a: systemHandlers(() => ({
    version: "v1.12.11",
    schematic: otherSchematic,
    extensions: { "iscsi-tools": "v0.2.0" },
    extraInfo: "customization: { systemExtensions: {} }",
    installImage: `factory.example/metal-installer/${otherSchematic}:v1.12.11`,
  })),
};

Deno.test("upgrade.imageIdentity lets nodes keep their own image, and refuses one without their extensions", async () => {
  const version = "v1.12.12";
  const site = siteOf({ nodes });
  assert.deepEqual(await upgradeImageIdentity.look(site, { version }), {
    ok: true,
    seen: "kept by 1 node",
  });
  assert.deepEqual(
    await upgradeImageIdentity.look(site, {
      version,
      image: "ghcr.io/siderolabs/installer",
    }),
    { ok: false, reason: "a: the image is made without iscsi-tools" },
  );
  const image = `factory.example/metal-installer/${otherSchematic}:v1.12.12`;
  const same = await upgradeImageIdentity.look(site, { version, image });
  assert.equal(same.ok, true);
});

Deno.test("upgrade.imageIdentity counts until the run has loosened image-identity", async () => {
  const loosened = (rule: string) => Promise.resolve(rule === "image-identity");
  const site = siteOf({ nodes });
  const other = { version: "v1.12.12", image: "ghcr.io/siderolabs/installer" };
  assert.equal((await upgradeImageIdentity.look(site, other)).ok, false);
  assert.deepEqual(
    await upgradeImageIdentity.look({ ...site, loosened }, other),
    {
      ok: true,
      seen:
        "a: the image is made without iscsi-tools (loosened by image-identity)",
    },
  );
});
