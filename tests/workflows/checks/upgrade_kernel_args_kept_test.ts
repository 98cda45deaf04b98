import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { domain } from "../../../dialect.ts";
import { upgradeKernelArgsKept } from "../../../workflows/checks/upgrade_kernel_args_kept.ts";
import { resource, siteOf, versionOf } from "./_site.ts";

/** A node of a version, with arguments of its own; started by GRUB unless it says otherwise. */
function node(
  tag: string,
  args: readonly string[],
  uki = false,
  mode = "metal",
) {
  return {
    version: () => versionOf(tag, mode),
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
  const good = siteOf({
    nodes: {
      a: node("v1.12.11", ["quiet"]),
      b: node("v1.13.0", []),
      c: node("v1.13.0", ["quiet"], true),
      d: node("v1.13.0", ["quiet"], false, "container"),
    },
  });
  assert.deepEqual(await upgradeKernelArgsKept.look(good, {}), {
    ok: true,
    seen: "kept by 4 nodes",
  });
  const bad = siteOf({ nodes: { a: node("v1.13.0", ["quiet", "net=0"]) } });
  assert.deepEqual(await upgradeKernelArgsKept.look(bad, {}), {
    ok: false,
    reason:
      "a: it starts with GRUB and would lose quiet net=0; upgrade it with --preserve, which takes the older call",
  });
});

Deno.test("upgrade.kernelArgsKept counts until the run has loosened image-identity", async () => {
  const loosened = (rule: string) => Promise.resolve(rule === "image-identity");
  const site = siteOf({ nodes: { a: node("v1.13.0", ["quiet"]) } });
  assert.equal((await upgradeKernelArgsKept.look(site, {})).ok, false);
  assert.deepEqual(
    await upgradeKernelArgsKept.look({ ...site, loosened }, {}),
    {
      ok: true,
      seen:
        "a: it starts with GRUB and would lose quiet; upgrade it with --preserve, which takes the older call (loosened by image-identity)",
    },
  );
});
