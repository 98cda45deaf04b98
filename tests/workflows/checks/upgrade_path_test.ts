import assert from "node:assert/strict";
import { upgradePath } from "../../../workflows/checks/upgrade_path.ts";
import { resource, siteOf, versionOf } from "./_site.ts";

const nodes = {
  a: { version: () => versionOf("v1.12.11"), get: () => resource({}) },
  b: { version: () => versionOf("v1.11.3"), get: () => resource({}) },
};

Deno.test("upgrade.path names nodes for which it is too far, or back", async () => {
  const look = (to: string, maxMinorStep?: number) =>
    upgradePath.look(
      siteOf({ nodes }),
      maxMinorStep === undefined ? { to } : { to, maxMinorStep },
    );
  assert.deepEqual(await look("1.12.12"), {
    ok: true,
    seen: "2 nodes may go to v1.12.12",
  });
  assert.deepEqual(await look("v1.13.0"), {
    ok: false,
    reason: "b: v1.13.0 is more than one minor version ahead of v1.11.3",
  });
  assert.equal((await look("v1.13.0", 2)).ok, true);
  assert.deepEqual(await look("v1.14.0", 2), {
    ok: false,
    reason: "b: v1.14.0 is more than 2 minor versions ahead of v1.11.3",
  });
});

Deno.test("upgrade.path names nodes whose Kubernetes the version does not support", async () => {
  const node = (kubernetes: string) => ({
    version: () => versionOf("v1.13.4"),
    get: () => resource({ image: `registry.example/kubelet:${kubernetes}` }),
  });
  const site = siteOf({ nodes: { a: node("v1.32.0"), b: node("v1.31.9") } });
  assert.deepEqual(await upgradePath.look(site, { to: "v1.14.0" }), {
    ok: false,
    reason:
      "b: Kubernetes v1.31.9 is too old for v1.14.0, which supports v1.32 to v1.37",
  });
});

Deno.test("upgrade.path counts until the run has loosened version-path", async () => {
  const loosened = (rule: string) => Promise.resolve(rule === "version-path");
  const far = { to: "v1.14.0" };
  const site = siteOf({ nodes });
  assert.equal((await upgradePath.look(site, far)).ok, false);
  assert.deepEqual(await upgradePath.look({ ...site, loosened }, far), {
    ok: true,
    seen:
      "a: v1.14.0 is more than one minor version ahead of v1.12.11; b: v1.14.0 is more than one minor version ahead of v1.11.3 (loosened by version-path)",
  });
});
