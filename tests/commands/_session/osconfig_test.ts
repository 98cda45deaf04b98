import assert from "node:assert/strict";
import { checkContextArgument } from "../../../commands/_session/osconfig.ts";
import { UsageError } from "../../../errors.ts";

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
