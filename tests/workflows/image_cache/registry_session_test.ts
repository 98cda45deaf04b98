import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";
import { parseReference } from "../../../workflows/image_cache/reference.ts";
import { registryClient } from "../../../workflows/image_cache/registry.ts";
import { create } from "./_create.ts";
import { testRegistry } from "./_registry.ts";

Deno.test("a registry is given the login it wants, and one without the platform is named", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    registry.login = "dTpw";
    for (
      const login of [
        { kind: "basic", basic: "dTpw" },
        { kind: "refresh-token", token: "dTpw" },
      ] as const
    ) {
      await create(registry.host, `${folder}/${login.kind}`, { login });
    }
    await assert.rejects(
      create(registry.host, folder, {
        platforms: ["linux/riscv64"],
        login: { kind: "basic", basic: "dTpw" },
      }),
      new OsctlError(
        `${registry.host}/team/app:v1 is not available for linux/riscv64`,
      ),
    );
  });
});

Deno.test("a registry that cannot be reached is named, with the reason in words", async () => {
  const { signal } = new AbortController();
  const registry = testRegistry();
  const { host } = registry;
  await registry[Symbol.asyncDispose]();
  const client = registryClient({
    insecure: false,
    login: () => Promise.resolve(undefined),
    signal,
  });
  const image = parseReference(`${host}/team/app:v1`);
  await assert.rejects(client.manifest(image, "v1"), {
    name: "OsctlError",
    message: `Cannot reach registry ${host}: the connection was refused`,
  });
});
