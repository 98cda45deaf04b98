import assert from "node:assert/strict";
import { OsctlError, RefusedError, RpcError } from "../../../errors.ts";
import { runWith } from "./_reboots.ts";

Deno.test("only an error without a kind of its own has the code of its cause", async () => {
  const cause = new RpcError("UNAVAILABLE", "gone");
  const runVerdict = async (error: Error) =>
    (await runWith({
      plan() {
        throw error;
      },
    })).verdict;
  assert.deepEqual(await runVerdict(new RefusedError("too far", { cause })), {
    outcome: "refused",
    reason: "too far",
  });
  assert.deepEqual(await runVerdict(new OsctlError("cannot tell", { cause })), {
    outcome: "failed",
    reason: "cannot tell",
    code: "UNAVAILABLE",
  });
});
