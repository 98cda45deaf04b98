import assert from "node:assert/strict";
import { finders } from "../../_finders.ts";
import {
  collectInitials,
  findEffect,
  findIdempotency,
} from "../../../workflows/modules/module.ts";

Deno.test("effect and repetition of a module are told by what it is", async () => {
  const expected = {
    // Reads, and works on this machine.
    "etcd.assess": ["read", "read", "pure"],
    "vault.export": ["read", "read", "pure"],
    // Has an operation of its own.
    "ca.accept": ["change", "write", "converge"],
    "node.resetEphemeral": ["change", "destroy", "keyed"],
    "etcd.bootstrapFromSnapshot": ["change", "disrupt", "once"],
    // Is what a command does.
    version: ["read", "read", "pure"],
    "etcd.removeMember": ["change", "destroy", "keyed"],
    "upgrade.install": ["change", "disrupt", "once"],
  };
  const find = finders.module;
  for (const [name, wanted] of Object.entries(expected)) {
    const module = await find(name) ?? assert.fail(name);
    const found = [module.kind, findEffect(module), findIdempotency(module)];
    assert.deepEqual(found, wanted, name);
  }
});

Deno.test("fields that have a value when none is given are made again", () => {
  const fields = {
    on: { type: "bool", summary: "On", initial: false },
    name: { type: "string", summary: "Name" },
  } as const;
  assert.deepEqual(collectInitials(fields), { on: false });
  assert.notEqual(collectInitials(fields), collectInitials(fields));
});
