import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { ConfigError, UsageError } from "../../errors.ts";
import { toolFailure } from "../../tools/run_tool.ts";

Deno.test("command line errors of a tool read like those of osctl", () => {
  const usage = "deno task conformance --nodes LIST";
  const parsed = () => {
    try {
      parseArgs({ args: ["--node", "a"], options: {} });
    } catch (error) {
      return error;
    }
  };
  assert.deepEqual(toolFailure(parsed(), usage), {
    text: `error: Unknown option '--node'\nUsage: ${usage}\n`,
    status: 2,
  });
  assert.deepEqual(
    toolFailure(new UsageError("Give nodes with --nodes"), usage),
    { text: `error: Give nodes with --nodes\nUsage: ${usage}\n`, status: 2 },
  );
  assert.deepEqual(
    toolFailure(new ConfigError('Cannot read "x"'), usage),
    { text: `error: Cannot read "x"\nUsage: ${usage}\n`, status: 2 },
  );
});
