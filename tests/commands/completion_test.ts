import assert from "node:assert/strict";
import { run } from "../_run.ts";

Deno.test("completion prints a script for each shell", async () => {
  const bash = await run("completion bash");
  assert.match(
    bash.out,
    /^# bash completion for osctl\n[^]*\ncomplete -F _osctl osctl\n$/,
  );
  assert.deepEqual({ err: bash.err, status: bash.status }, {
    err: "",
    status: 0,
  });
  assert.match((await run("completion fish")).out, /\ncomplete -c osctl /);
  assert.match(
    (await run("completion zsh")).out,
    /^#compdef osctl\n[^]*\ncompdef _osctl osctl\n$/,
  );
});
