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
  assert.match(
    (await run("completion powershell")).out,
    /^Register-ArgumentCompleter -Native -CommandName osctl /m,
  );
});

Deno.test("completion --no-descriptions prints scripts that ask for names alone", async () => {
  for (const shell of ["bash", "fish", "powershell", "zsh"]) {
    const { out } = await run(`completion ${shell} --no-descriptions`);
    assert.match(out, /\bosctl __complete-names /, shell);
    assert.doesNotMatch(out, /__complete /, shell);
  }
  const complete = async (name: string) =>
    (await run([name, "etcd", "alarm", ""])).out;
  assert.equal(
    await complete("__complete"),
    "disarm\tDisarm etcd alarms\nlist\tList etcd alarms\n",
  );
  assert.equal(await complete("__complete-names"), "disarm\nlist\n");
});
