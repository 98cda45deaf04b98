import assert from "node:assert/strict";
import { upgradePath } from "../../../workflows/checks/upgrade_path.ts";
import { siteOf, versionOf } from "./_site.ts";

const nodes = {
  a: { version: () => versionOf("v1.12.11") },
  b: { version: () => versionOf("v1.11.3") },
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
