import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import { basic, requestMetadata } from "../../../transport/call/metadata.ts";

const path = "/machine.MachineService/Version";

Deno.test("requestMetadata names the runtime on every request", async () => {
  assert.deepEqual(await requestMetadata(path, {}), { runtime: "Talos" });
});

Deno.test("requestMetadata names cluster, node and user when they are known", async () => {
  const caller = {
    cluster: "demo",
    basicAuth: { username: "me", password: "p:ü" },
  };
  assert.deepEqual(await requestMetadata(path, caller, "10.0.0.1"), {
    runtime: "Talos",
    context: "demo",
    node: "10.0.0.1",
    authorization: "Basic bWU6cDrDvA==",
  });
});

Deno.test("requestMetadata signs what is sent, and adds the signature", async () => {
  const metadata = await requestMetadata(path, {
    cluster: "demo",
    sign: (path, metadata) =>
      Promise.resolve({ signature: `${path} ${Object.keys(metadata)}` }),
  }, "n1");
  assert.equal(
    metadata["signature"],
    "/machine.MachineService/Version runtime,context,node",
  );
  assert.equal(metadata["node"], "n1");
});

Deno.test("basic encodes user name and password", () => {
  assert.equal(
    basic({ username: "Aladdin", password: "open sesame" }),
    "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", // RFC 7617, 2
  );
});

for (
  const [key, caller, node] of [
    ["node", {}, "nöde"],
    ["node", {}, "a\r\nb"],
    ["context", { cluster: "größe" }, "a"],
  ] as const
) {
  Deno.test(`requestMetadata refuses a ${key} that no header can hold: ${JSON.stringify(node)}`, async () => {
    await assert.rejects(requestMetadata(path, caller, node), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.ok(error.message.startsWith(`Cannot send ${key} "`));
      return true;
    });
  });
}
