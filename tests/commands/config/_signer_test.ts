import assert from "node:assert/strict";
import {
  lifetimeFlag,
  requestCertificate,
} from "../../../commands/config/_signer.ts";

import { RpcError } from "../../../errors.ts";
import { fakeNodes, type Handler } from "../../_fake.ts";

const wish = { roles: ["os:admin"], lifetimeMs: 90_061_500, deadlineMs: 0 };

async function ask(generateClientConfiguration: Handler) {
  const { nodes } = fakeNodes({ a: { generateClientConfiguration } });
  return await requestCertificate(await nodes.only("test"), wish);
}

Deno.test("requestCertificate says who may and who can sign", async () => {
  const refuse = (code: RpcError["code"]) => () =>
    Promise.reject(new RpcError(code, "no"));
  await assert.rejects(ask(refuse("FAILED_PRECONDITION")), {
    code: "FAILED_PRECONDITION",
    message: "no",
    hint: "Choose a control plane with --nodes",
  });
  await assert.rejects(ask(refuse("PERMISSION_DENIED")), {
    code: "PERMISSION_DENIED",
    hint: "This needs the role os:admin; choose another context with --context",
  });
  await assert.rejects(ask(refuse("UNAVAILABLE")), {
    code: "UNAVAILABLE",
    hint: undefined,
  });
});

Deno.test("requestCertificate refuses an empty answer", async () => {
  await assert.rejects(ask(() => ({ messages: [] })), {
    name: "OsctlError",
    message: 'Node "a" sent no client certificate',
  });
});

Deno.test("lifetimeFlag takes a second or more, default a year", () => {
  const flag = lifetimeFlag();
  assert.equal(flag.initial, 31_536_000_000);
  assert.equal(flag.parse("1s", undefined), 1000);
  for (const wrong of ["0", "999ms", "-1h", "1d"]) {
    assert.throws(() => flag.parse(wrong, undefined), { name: "Error" });
  }
});
