import assert from "node:assert/strict";
import { containerNamed } from "../../commands/logs.ts";
import { OsctlError } from "../../errors.ts";
import { fakeNodes } from "../_fake.ts";

const containers = [
  ["kube-system/proxy-x7x2j", "kube-system/proxy-x7x2j", "SANDBOX_READY"],
  [
    "kube-system/proxy-x7x2j:proxy:0a0a",
    "kube-system/proxy-x7x2j",
    "CONTAINER_EXITED",
  ],
  [
    "kube-system/proxy-x7x2j:proxy:0b0b",
    "kube-system/proxy-x7x2j",
    "CONTAINER_RUNNING",
  ],
  ["a/web-1:app:0c0c", "a/web-1", "CONTAINER_RUNNING"],
  ["a/web-1:sidecar:0d0d", "a/web-1", "CONTAINER_RUNNING"],
  ["b/web-1:app:0e0e", "b/web-1", "CONTAINER_RUNNING"],
].map(([id = "", podId = "", status = ""]) => ({
  id,
  podId,
  name: id.split(":")[1] ?? podId,
  status,
}));

const { nodes } = fakeNodes({
  a: { containers: () => ({ messages: [{ containers }] }) },
});

for (
  const [name, found] of [
    ["kube-system/proxy-x7x2j", "kube-system/proxy-x7x2j:proxy:0b0b"],
    ["proxy", "kube-system/proxy-x7x2j:proxy:0b0b"],
    ["proxy-x7", "kube-system/proxy-x7x2j:proxy:0b0b"],
    ["kube-system/proxy-x", "kube-system/proxy-x7x2j:proxy:0b0b"],
    ["kube-system/pro:proxy", "kube-system/proxy-x7x2j:proxy:0b0b"],
    ["web:sidecar", "a/web-1:sidecar:0d0d"],
    ["sidecar", "a/web-1:sidecar:0d0d"],
    ["b/web-1", "b/web-1:app:0e0e"],
    ["a/web-1:app", "a/web-1:app:0c0c"],
    ["web-1:sidecar", "a/web-1:sidecar:0d0d"],
    ["not/here:x:0f0f", "not/here:x:0f0f"],
  ] as const
) {
  Deno.test(`${name} is the container ${found}`, async () => {
    assert.equal(await containerNamed(await nodes.at("a"), name), found);
  });
}

for (
  const [name, message] of [
    ["app", '"app" is ambiguous: a/web-1:app, b/web-1:app'],
    ["a/web-1", '"a/web-1" is ambiguous: a/web-1:app, a/web-1:sidecar'],
    ["web:app", '"web:app" is ambiguous: a/web-1:app, b/web-1:app'],
    ["kube-system/web", 'There is no container or pod "kube-system/web"'],
    ["nothing", 'There is no container or pod "nothing"'],
  ] as const
) {
  Deno.test(`${name} is no name of one container`, async () => {
    await assert.rejects(
      containerNamed(await nodes.at("a"), name),
      (error) => error instanceof OsctlError && error.message === message,
    );
  });
}
