import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import { askBare } from "../../../workflows/operations/unconfigured_node.ts";
import { siteOf } from "./_site.ts";

async function ask(version: () => unknown) {
  return await askBare((await siteOf([], Infinity, {}, version)).site);
}

Deno.test("a node without a configuration tells strangers its version, or that it does not", async () => {
  const messages = [{ version: { tag: "v1.12.1" } }];
  assert.deepEqual(await ask(() => ({ messages })), { version: "v1.12.1" });
  const shy = new RpcError("UNIMPLEMENTED", "no");
  assert.deepEqual(await ask(() => Promise.reject(shy)), { version: "" });
});

Deno.test("a node that lets no strangers in, or cannot be reached, is none of them", async () => {
  for (
    const failure of [
      new ConnectError("refused", "Cannot connect"),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    ]
  ) {
    assert.deepEqual(await ask(() => Promise.reject(failure)), { failure });
  }
  const bug = new TypeError("a bug");
  await assert.rejects(ask(() => Promise.reject(bug)), bug);
});
