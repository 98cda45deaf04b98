import assert from "node:assert/strict";
import {
  type Context,
  rowsIn,
  silently,
} from "../../../commands/_kit/command.ts";
import { word } from "../../../commands/_kit/inputs.ts";

Deno.test("silently works when it is run, not before, and yields nothing", async () => {
  const seen: unknown[] = [];
  const { run, output } = silently<{ name: string }>({
    summary: "Test",
    inputs: { name: word("name") },
    work({ input }) {
      seen.push(input.name);
      return Promise.resolve();
    },
  });
  assert.equal(output, "own");
  // The rest of a context is not looked at.
  const rows = run({ input: { name: "a" } } as Context<{ name: string }>);
  assert.deepEqual(seen, []);
  assert.deepEqual(await Array.fromAsync(rows), []);
  assert.deepEqual(seen, ["a"]);
});

Deno.test("silently passes failures on", async () => {
  const { run } = silently({
    summary: "Test",
    inputs: {},
    work: () => Promise.reject(new TypeError("no")),
  });
  await assert.rejects(
    Array.fromAsync(run({} as Context<Record<never, never>>)),
    TypeError,
  );
});

Deno.test("rowsIn gives the rows of a step, one or several", () => {
  assert.deepEqual(rowsIn({ node: "a" }), [{ node: "a" }]);
  assert.deepEqual(rowsIn([{ node: "a" }, { node: "b" }]), [
    { node: "a" },
    { node: "b" },
  ]);
});
