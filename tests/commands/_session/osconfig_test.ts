import assert from "node:assert/strict";
import { checkContextArgument } from "../../../commands/_session/osconfig.ts";
import { UsageError } from "../../../errors.ts";
import { run } from "../../_run.ts";

Deno.test("checkContextArgument accepts the same name only, and no empty one", () => {
  checkContextArgument("a", "config add", { context: undefined });
  checkContextArgument("a", "config add", { context: "a" });
  assert.throws(
    () => checkContextArgument("a", "config add", { context: "b" }),
    new UsageError(
      'Flag --context and the argument of "config add" name different contexts: "b" and "a"',
      { hint: "Omit --context" },
    ),
  );
  assert.throws(
    () => checkContextArgument("", "config add", { context: undefined }),
    new UsageError("Argument <context> is empty"),
  );
});

Deno.test("without a client configuration, the error says how to start", async () => {
  const { out, err, status } = await run("config info", {}, {
    env: { HOME: "/nonexistent" },
  });
  assert.match(err, /^error: Cannot find a client configuration: searched /);
  assert.match(
    err,
    /^hint: Add a cluster with: osctl config merge <file>; to try osctl with simulated nodes: osctl cluster create embedded$/m,
  );
  assert.deepEqual([out, status], ["", 2]);
});
