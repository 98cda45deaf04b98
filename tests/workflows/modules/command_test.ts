import assert from "node:assert/strict";
import {
  commandStep,
  type Programs,
} from "../../../workflows/modules/command.ts";
import { ConfigError } from "../../../errors.ts";
import type { ProgramCall, RunProgram } from "../../../lib/run_program.ts";
import type { ModuleInput } from "../../../workflows/runbook_cel/values.ts";
import { type BenchOptions, openBench } from "../runbooks/_bench.ts";

/** Runs `notify` with these values, and gives what came of it. */
async function ran(
  values: string,
  programs?: Programs,
  more = "",
  options: BenchOptions = {},
) {
  await using bench = await openBench({
    ...options,
    modules: [commandStep(programs)],
  });
  return await bench.run(`
steps:
  - { id: tell, run: command, with: { program: notify, ${values} } }
${more}
`);
}

/** Programs that end as the test says; what they are given is kept. */
function programs(
  end: Partial<Awaited<ReturnType<RunProgram>>> | Error,
): { readonly calls: ProgramCall[]; readonly run: RunProgram } {
  const calls: ProgramCall[] = [];
  return {
    calls,
    run(call) {
      calls.push(call);
      return end instanceof Error
        ? Promise.reject(end)
        : Promise.resolve({ status: 0, stdout: "", stderr: "", ...end });
    },
  };
}

Deno.test("a program is given data and gives data, which later steps see", async () => {
  const { calls, run } = programs({ stdout: '{"ok":true,"count":3}\n' });
  const { verdict } = await ran(
    'args: [--cluster, "${{ cluster.name }}"], input: { nodes: [a, b] }, env: { LEVEL: high }',
    run,
    '  - { id: sure, assert: { that: "steps.tell.status == 0 && steps.tell.data.ok && steps.tell.data.count == 3" } }',
  );
  assert.equal(verdict, "succeeded 0");
  assert.deepEqual(calls, [{
    program: "notify",
    args: ["--cluster", "demo"],
    input: '{"nodes":["a","b"]}\n',
    env: { OSCTL_RUN: "run-1", LEVEL: "high" },
  }]);
});

Deno.test("command module: other output is text, and other statuses may be a success", async () => {
  const { run } = programs({ status: 1, stdout: "two lines\nof text\n" });
  const { verdict } = await ran(
    "statuses: [0, 1]",
    run,
    "  - { id: sure, assert: { that: \"steps.tell.data == 'two lines\\\\nof text' && steps.tell.status == 1\" } }",
  );
  assert.equal(verdict, "succeeded 0");
});

Deno.test("a program that fails fails its step with what it said last", async () => {
  const { run } = programs({ status: 2, stderr: "first\nno such channel\n" });
  const { verdict, end } = await ran("args: []", run);
  assert.equal(verdict, "failed 1");
  assert.equal(
    end?.failure?.message,
    "command: notify exited with status 2: no such channel",
  );
  const missing = programs(new ConfigError("Cannot run it"));
  assert.match(
    (await ran("args: []", missing.run)).end?.failure?.message ?? "",
    /Cannot run it/,
  );
});

Deno.test("a program whose arguments are no list, or whose environment is no map, is not run", async () => {
  const { calls, run } = programs({});
  const module = commandStep(run);
  assert.ok(module.kind === "change");
  const wrong: readonly ModuleInput[] = [{ args: "--all" }, { env: ["A=1"] }];
  for (const one of wrong) {
    await assert.rejects(
      // Nothing of the context is used.
      async () => await module.prepare({} as never, { program: "a", ...one }),
      { name: "ConfigError", message: /args is a list, and env a map$/ },
    );
  }
  assert.deepEqual(calls, []);
});

Deno.test("programs that are not allowed are not run", async () => {
  const { verdict, end } = await ran("args: []");
  assert.equal(verdict, "blocked 5");
  assert.match(
    end?.failure?.message ?? "",
    /Programs on this machine are not allowed/,
  );
});

Deno.test("a rehearsal takes the data that the step names, and runs nothing", async () => {
  const { verdict } = await ran(
    "rehearsed: { ok: true }",
    "rehearsed",
    '  - { id: sure, assert: { that: "steps.tell.data.ok" } }',
  );
  assert.equal(verdict, "succeeded 0");
});

Deno.test("a program whose runner died is not run again by itself", async () => {
  const { calls, run } = programs({});
  await using bench = await openBench({ modules: [commandStep(run)] });
  const first = await bench.run(
    `
steps:
  - { id: tell, run: command, with: { program: notify } }
`,
    {},
    {
      onRecord: ({ type }, { kill }) => {
        if (type === "intent") kill();
      },
    },
  );
  assert.equal(first.verdict, "killed");
  const second = await bench.resume();
  assert.equal(second.verdict, "blocked 5");
  assert.equal(second.end?.failure?.code, "in-doubt");
  assert.ok(calls.length <= 1);
});
