import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";
import { create } from "./_create.ts";
import { testRegistry } from "./_registry.ts";

Deno.test("a registry is given the login it wants, and one without the platform is named", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    registry.login = "dTpw";
    await create(registry.host, folder, { login: registry.login });
    await assert.rejects(
      create(registry.host, folder, { platforms: ["linux/riscv64"] }),
      new OsctlError(
        `${registry.host}/team/app:v1 is not available for linux/riscv64`,
      ),
    );
  });
});
