import assert from "node:assert/strict";
import {
  upgradeImageIdentity,
  upgradeKernelArgsKept,
  upgradePath,
} from "../../../workflows/checks/upgrade.ts";
import { makeContext, resource, versionReply } from "./_check_context.ts";
import { otherSchematic, systemHandlers } from "../operations/_system.ts";
import { RpcError } from "../../../errors.ts";
import { domain } from "../../../talos.ts";

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
  const context = makeContext({ nodes });
  assert.deepEqual(await upgradeImageIdentity.run(context, { version }), {
    ok: true,
    seen: "kept by 1 node",
  });
  assert.deepEqual(
    await upgradeImageIdentity.run(context, {
      version,
      image: "ghcr.io/siderolabs/installer",
    }),
    {
      ok: false,
      reason: "a: the image does not contain iscsi-tools",
      final: true,
    },
  );
  const image = `factory.example/metal-installer/${otherSchematic}:v1.12.12`;
  const same = await upgradeImageIdentity.run(context, { version, image });
  assert.equal(same.ok, true);
});

Deno.test("upgrade.imageIdentity counts until the run has overridden image-identity", async () => {
  const overridden = (rule: string) =>
    Promise.resolve(rule === "image-identity");
  const context = makeContext({ nodes });
  const other = { version: "v1.12.12", image: "ghcr.io/siderolabs/installer" };
  assert.equal((await upgradeImageIdentity.run(context, other)).ok, false);
  assert.deepEqual(
    await upgradeImageIdentity.run({ ...context, overridden }, other),
    {
      ok: true,
      seen:
        "a: the image does not contain iscsi-tools (overridden by image-identity)",
    },
  );
});

/** A node of a version, with arguments of its own; started by GRUB unless it says otherwise. */
function node(
  tag: string,
  args: readonly string[],
  uki = false,
  mode = "metal",
) {
  return {
    version: () => versionReply(tag, mode),
    get: ({ type }: { readonly type: string }) =>
      resource(
        type === `SecurityStates.${domain}`
          ? { bootedWithUKI: uki }
          : { machine: { install: { extraKernelArgs: args } } },
      ),
    async *read() {
      yield await Promise.reject(new RpcError("UNKNOWN", "no such file"));
    },
  };
}

Deno.test("upgrade.kernelArgsKept refuses nodes with GRUB and arguments of their own, of releases that would lose them", async () => {
  const good = makeContext({
    nodes: {
      a: node("v1.12.11", ["quiet"]),
      b: node("v1.13.0", []),
      c: node("v1.13.0", ["quiet"], true),
      d: node("v1.13.0", ["quiet"], false, "container"),
    },
  });
  assert.deepEqual(await upgradeKernelArgsKept.run(good, {}), {
    ok: true,
    seen: "kept by 4 nodes",
  });
  const bad = makeContext({
    nodes: { a: node("v1.13.0", ["quiet", "net=0"]) },
  });
  assert.deepEqual(await upgradeKernelArgsKept.run(bad, {}), {
    ok: false,
    reason:
      "a: it boots with GRUB and would lose quiet net=0; upgrade it with --preserve, which uses the older call",
    final: true,
  });
});

Deno.test("upgrade.kernelArgsKept counts until the run has overridden image-identity", async () => {
  const overridden = (rule: string) =>
    Promise.resolve(rule === "image-identity");
  const context = makeContext({ nodes: { a: node("v1.13.0", ["quiet"]) } });
  assert.equal((await upgradeKernelArgsKept.run(context, {})).ok, false);
  assert.deepEqual(
    await upgradeKernelArgsKept.run({ ...context, overridden }, {}),
    {
      ok: true,
      seen:
        "a: it boots with GRUB and would lose quiet; upgrade it with --preserve, which uses the older call (overridden by image-identity)",
    },
  );
});

const nodesUpgradePath = {
  a: { version: () => versionReply("v1.12.11"), get: () => resource({}) },
  b: { version: () => versionReply("v1.11.3"), get: () => resource({}) },
};

Deno.test("upgrade.path counts until the run has overridden version-path", async () => {
  const overridden = (rule: string) => Promise.resolve(rule === "version-path");
  const far = { to: "v1.14.0" };
  const context = makeContext({ nodes: nodesUpgradePath });
  assert.equal((await upgradePath.run(context, far)).ok, false);
  assert.deepEqual(await upgradePath.run({ ...context, overridden }, far), {
    ok: true,
    seen:
      "a: v1.14.0 is more than one minor version ahead of v1.12.11; b: v1.14.0 is more than one minor version ahead of v1.11.3 (overridden by version-path)",
  });
});
