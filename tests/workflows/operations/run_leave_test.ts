import assert from "node:assert/strict";
import type { AnyOperation } from "../../../workflows/operations/operation.ts";
import type { Arbiter } from "../../../workflows/operations/arbiter.ts";
import type { Refusal } from "../../../workflows/etcd/quorum.ts";
import { runWith } from "./_reboots.ts";

Deno.test("parts that come long after may ask for leave again", async () => {
  const asking: Partial<AnyOperation> = {
    async *apply({ renewLeave }) {
      const refused = yield* renewLeave?.() ?? assert.fail();
      return refused ?? { outcome: "done", reason: "rebooted" };
    },
  };
  const renewed = (refusal: Refusal | undefined): Arbiter => ({
    async *admit() {
      yield* [];
      await Promise.resolve();
      return {
        release() {},
        async *renew() {
          yield* [];
          return await Promise.resolve(refusal);
        },
      };
    },
  });
  const { verdict } = await runWith(
    asking,
    renewed({ rule: "S1", reason: "no quorum", passing: true }),
  );
  assert.deepEqual(verdict, {
    outcome: "refused",
    reason: "no quorum (S1)",
    code: "S1",
  });
  assert.equal(
    (await runWith(asking, renewed(undefined))).verdict?.outcome,
    "done",
  );
});

Deno.test("run: operations that stop nothing on the node are admitted as such", async () => {
  const effects: string[] = [];
  const counting: Arbiter = {
    async *admit(_context, _operation, _input, effect) {
      yield* [];
      effects.push(effect);
      return await Promise.resolve({ release() {} });
    },
  };
  await runWith({ plan: () => [{ action: "open a", gentle: true }] }, counting);
  await runWith({
    plan: () => [{ action: "open a", gentle: true }, { action: "reboot" }],
  }, counting);
  assert.deepEqual(effects, ["write", "disrupt"]);
});
