import assert from "node:assert/strict";
import {
  followed,
  tellLease,
  toldVault,
} from "../../../../commands/runbook/_run/told.ts";
import type { Details } from "../../../../workflows/runbooks/journal/record.ts";
import type { RunJournal } from "../../../../workflows/runbooks/journal/writer.ts";
import type { Vault } from "../../../../workflows/runbooks/module.ts";

function recorder() {
  const seen: unknown[] = [];
  const journal: RunJournal = {
    append(record) {
      seen.push(record);
      return Promise.resolve({ v: 1, seq: 1, ts: "", h: "", ...record });
    },
  };
  const tell = (type: string, { data }: { readonly data?: Details }) =>
    void seen.push([type, data]);
  return { seen, journal, feed: { tell } };
}

Deno.test("tellLease tells what is taken and lost, and nothing else", () => {
  const { seen, feed } = recorder();
  tellLease(feed, { state: "taken" }, "r1 @ eve@desk");
  tellLease(feed, { state: "lost", reason: "somebody has it" }, "r1");
  tellLease(feed, { state: "released" }, "r1");
  assert.deepEqual(seen, [
    ["lease.taken", { holder: "r1 @ eve@desk" }],
    ["lease.lost", { reason: "somebody has it" }],
  ]);
});

Deno.test("toldVault writes a secret down when it is in the vault, without its value", async () => {
  const { seen, journal, feed } = recorder();
  const vault: Vault = {
    put: (secret) => {
      seen.push("put");
      return Promise.resolve({ secret });
    },
    find: () => undefined,
    read: () => Promise.resolve(new Uint8Array()),
    names: () => [],
  };
  const told = toldVault(vault, journal, feed);
  const value = new TextEncoder().encode("hunter22");
  assert.deepEqual(await told.put("ca/os", value, "ab12"), { secret: "ca/os" });
  await told.put("token", value);
  assert.deepEqual(seen, [
    "put",
    { t: "secret", d: { name: "ca/os", fingerprint: "ab12" } },
    ["secret.made", { name: "ca/os", fingerprint: "ab12" }],
    "put",
    { t: "secret", d: { name: "token" } },
    ["secret.made", { name: "token" }],
  ]);
});

Deno.test("followed knows the modules that have ended well", async () => {
  const { seen, journal } = recorder();
  const modules = new Set(["etcd.snapshot"]);
  const { append } = followed(journal, modules);
  await append({ t: "result", d: { state: "ok", module: "vault.export" } });
  await append({ t: "result", d: { state: "failed", module: "node.drain" } });
  await append({ t: "result", d: { state: "ok" } });
  assert.deepEqual([...modules], ["etcd.snapshot", "vault.export"]);
  assert.equal(seen.length, 3);
});
