import assert from "node:assert/strict";
import { realEnvironment } from "../../../../terminal/environment.ts";
import { requireTyped } from "../../../../workflows/runbooks/run/confirm_id.ts";

function context(typed: string | undefined, stdin = "") {
  const said: string[] = [];
  const write = (bytes: Uint8Array) => {
    said.push(new TextDecoder().decode(bytes));
    return Promise.resolve();
  };
  const environment = {
    ...realEnvironment(),
    stdin: { terminal: true, readable: new Blob([stdin]).stream() },
    stderr: { terminal: true, columns: () => 80, write },
  };
  const { signal } = new AbortController();
  return { said, typed, environment, signal };
}

Deno.test("anything else is refused, and so is nothing", async () => {
  const wrong = {
    name: "RefusedError",
    message: '"y" is not the id of the run',
  };
  await assert.rejects(requireTyped("r1", "x", "y", context("y")), wrong);
  await assert.rejects(
    requireTyped("r1", "x", undefined, context(undefined, "y\n")),
    wrong,
  );
  await assert.rejects(requireTyped("r1", "x", undefined, context(undefined)), {
    name: "RefusedError",
    hint: "Without a terminal, add: --typed r1",
  });
});
