import assert from "node:assert/strict";
import { RefusedError } from "../../../errors.ts";
import type { AnyOperation } from "../../../workflows/operations/operation.ts";
import { runWith } from "./_reboots.ts";

Deno.test("wipe: plans again once admitted, for the node's current state", async () => {
  let isAllowed = false;
  const waiting = {
    async *admit() {
      yield { text: "waiting" };
      await Promise.resolve();
      isAllowed = true;
      return { release() {} };
    },
  };
  const wiping: Partial<AnyOperation> = {
    effect: "destroy",
    already: "there is nothing to wipe",
    plan: () => isAllowed ? [] : [{ action: "wipe" }],
  };
  const gone = await runWith(wiping, waiting);
  assert.deepEqual(gone.verdict, {
    outcome: "unchanged",
    reason: "there is nothing to wipe",
  });
  assert.deepEqual(gone.types, ["outcome"]);
  isAllowed = false;
  const joined = await runWith({
    ...wiping,
    plan() {
      if (isAllowed) throw new RefusedError("it has joined again");
      return [{ action: "wipe" }];
    },
  }, waiting);
  assert.equal(joined.verdict?.reason, "it has joined again");
  assert.deepEqual(joined.types, ["outcome"]);
});
