import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import type { CommandFile } from "../../commands/_kit/command.ts";
import type { AnyOperation } from "../../workflows/operations/operation.ts";
import { operations } from "../../workflows/operations/all.ts";

/** Effect, and what doing it again means, of every command that changes nodes. */
const changing: Readonly<Record<string, string>> = {
  "apply-config": "disrupt converge",
  bootstrap: "disrupt once",
  edit: "disrupt converge",
  "etcd alarm disarm": "write converge",
  "etcd defrag": "write converge",
  "etcd downgrade cancel": "write converge",
  "etcd downgrade enable": "write converge",
  "etcd forfeit-leadership": "write converge",
  "etcd leave": "destroy keyed",
  "etcd remove-member": "destroy keyed",
  "image pull": "write converge",
  "image remove": "write converge",
  "meta delete": "write converge",
  "meta write": "write converge",
  "node cordon": "write converge",
  "node drain": "write converge",
  "node uncordon": "write converge",
  patch: "disrupt converge",
  reboot: "disrupt keyed",
  reset: "destroy keyed",
  restart: "disrupt keyed",
  rollback: "disrupt keyed",
  "service restart": "disrupt keyed",
  "service start": "write converge",
  "service stop": "disrupt converge",
  shutdown: "disrupt keyed",
  upgrade: "disrupt keyed",
  "upgrade install": "disrupt once",
  "wipe disk": "destroy converge",
  "wipe lv": "destroy converge",
  "wipe md": "destroy converge",
  "wipe pv": "destroy converge",
  "wipe vg": "destroy converge",
};

/** Parts every operation has. */
const parts = [
  "quorum",
  "observe",
  "plan",
  "key",
  "apply",
  "reconcile",
  "verify",
] as const;

Deno.test("every command that changes nodes exports its change, and what disturbs can be resumed", async () => {
  const found: Record<string, string> = {};
  for (const { name: command, load } of entries) {
    for (const [name, operation] of findOperations(command, await load?.())) {
      const { effect, idempotency } = operation;
      found[name] = `${effect} ${idempotency}`;
      for (const part of parts) {
        assert.equal(typeof operation[part], "function", `${name}: ${part}`);
      }
      if (effect !== "disrupt" && effect !== "destroy") continue;
      assert.equal(operations.get(operation.name), operation, name);
    }
  }
  assert.deepEqual(found, changing);
});

Deno.test("operations that disrupt nodes or move pods run on one node at a time by default", async () => {
  const rolling: string[] = [];
  for (const { name: command, load } of entries) {
    for (const [name, operation] of findOperations(command, await load?.())) {
      if (operation.rolling) rolling.push(name);
    }
  }
  assert.deepEqual(rolling, [
    "apply-config",
    "edit",
    "node drain",
    "patch",
    "reboot",
    "reset",
    "rollback",
    "upgrade",
  ]);
});

function findOperations(
  command: string,
  file: CommandFile | undefined,
): readonly (readonly [name: string, operation: AnyOperation])[] {
  if (file?.change === undefined) return [];
  const { operation, operations } = file.change;
  return operations === undefined
    ? [[command, operation]]
    : Object.entries(operations).map((
      [word, one],
    ) => [`${command} ${word}`, one]);
}
