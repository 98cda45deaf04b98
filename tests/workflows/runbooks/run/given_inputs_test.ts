import assert from "node:assert/strict";
import type { Environment } from "../../../../terminal/environment.ts";
import {
  askHidden,
  type GivenInputs,
  resolveGiven,
} from "../../../../workflows/runbooks/run/given_inputs.ts";
import { anyStep, book, load } from "../language/_finders.ts";
import { withFolder } from "../../../_folder.ts";

const runbook = await load({
  "a.yaml": book(
    "inputs:",
    "  a: { type: int, required: true, description: A number }",
    "  b: { type: string, default: none }",
    "  k: { type: secret, required: true }",
    anyStep,
  ),
});

/** Somebody types at a terminal, or nobody. */
async function inputs(
  flags: Partial<GivenInputs>,
  { typed, env = {} }: {
    readonly typed?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) {
  const shown: string[] = [];
  const chunks = (typed ?? []).map((text) => new TextEncoder().encode(text));
  const sink = {
    terminal: typed !== undefined,
    columns: () => 80,
    write: (bytes: Uint8Array) => {
      shown.push(new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
  };
  const environment: Environment = {
    stdout: sink,
    stderr: sink,
    stdin: { terminal: sink.terminal, readable: ReadableStream.from(chunks) },
    ...(typed === undefined
      ? {}
      : { screen: { size: () => ({ columns: 80, rows: 24 }), raw: () => {} } }),
    env: (name) => env[name],
    now: () => new Date(0),
    os: "linux",
  };
  const { values, secrets, given } = await resolveGiven(runbook, {
    given: { input: [], inputs: undefined, secret: [], ...flags },
    environment,
    signal: new AbortController().signal,
  });
  const key = secrets.get("k");
  return {
    values,
    given: [...given].join(),
    key: new TextDecoder().decode(key),
    shown: shown.join(""),
  };
}

Deno.test("inputs come from flags, a file and the environment", async () => {
  await withFolder({ "in.yaml": "b: file\n" }, async (folder) => {
    const flags = {
      input: ["a=1"],
      inputs: `${folder}/in.yaml`,
      secret: ["k=env:KEY"],
    };
    assert.deepEqual(await inputs(flags, { env: { KEY: "hush" } }), {
      values: { a: 1, b: "file" },
      given: "a,b,k",
      key: "hush",
      shown: "",
    });
  });
});

Deno.test("resolveGiven: asks for missing inputs on a terminal, secrets hidden", async () => {
  assert.deepEqual(await inputs({}, { typed: ["7\n", "hush\r"] }), {
    values: { a: 7, b: "none" },
    given: "a,k",
    key: "hush",
    shown: "a (A number, a whole number such as 3): k (a secret): \n",
  });
});

Deno.test("resolveGiven: names missing inputs without a terminal", async () => {
  await assert.rejects(inputs({}), {
    message: `Cannot run "test":
  Input "a" is missing (Give --input a=value, a whole number such as 3)
  Input "k" is missing (Give --secret k=@file or --secret k=env:NAME)`,
  });
});

Deno.test("a file of inputs is required", async () => {
  await assert.rejects(inputs({ inputs: "/nowhere/in.yaml" }), {
    name: "ConfigError",
    message: 'There is no file "/nowhere/in.yaml"',
  });
});

/** A terminal on which somebody types; what is shown and whether keys are hidden is written down. */
function terminal(...typed: readonly string[]) {
  const log: string[] = [];
  const chunks = typed.map((text) => new TextEncoder().encode(text));
  const environment = {
    screen: {
      size: () => ({ columns: 80, rows: 24 }),
      raw: (on: boolean) => void log.push(on ? "hidden" : "shown"),
    },
    stdin: { terminal: true, readable: ReadableStream.from(chunks) },
    stderr: {
      terminal: true,
      columns: () => 80,
      write: (bytes: Uint8Array) => {
        log.push(new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
    },
  };
  return { environment, log };
}

const never = new AbortController().signal;

Deno.test("askHidden hides what is typed until Enter", async () => {
  const { environment, log } = terminal("hu", "sh\rmore");
  assert.equal(await askHidden(environment, "key: ", never), "hush");
  assert.deepEqual(log, ["key: ", "hidden", "shown", "\n"]);
});

Deno.test("askHidden takes keys back", async () => {
  const { environment } = terminal("\x7fab\x7fc\n");
  assert.equal(await askHidden(environment, "", never), "ac");
});

Deno.test("askHidden takes the end of input for no answer", async () => {
  assert.equal(await askHidden(terminal().environment, "", never), undefined);
  assert.equal(await askHidden(terminal("a").environment, "", never), "a");
});

Deno.test("askHidden does not ask where there is no terminal", async () => {
  const { environment: { stdin, stderr }, log } = terminal("x\n");
  assert.equal(await askHidden({ stdin, stderr }, "", never), undefined);
  assert.deepEqual(log, []);
});

Deno.test("askHidden ends with Ctrl-C, and shows keys again", async () => {
  const { environment, log } = terminal("ab\x03");
  await assert.rejects(askHidden(environment, "", never), {
    name: "CancelledError",
  });
  assert.deepEqual(log.slice(1), ["hidden", "shown", "\n"]);
});

Deno.test("askHidden ends when the caller no longer waits", async () => {
  const { environment, log } = terminal();
  const readable = new ReadableStream<Uint8Array>();
  const stop = new AbortController();
  const asked = askHidden(
    { ...environment, stdin: { terminal: true, readable } },
    "",
    stop.signal,
  );
  stop.abort(new Error("over"));
  await assert.rejects(asked, { message: "over" });
  assert.equal(log.at(-2), "shown");
});

Deno.test("askHidden refuses an answer that never ends", async () => {
  const { environment } = terminal("x".repeat(4097));
  await assert.rejects(askHidden(environment, "", never), {
    name: "RefusedError",
  });
});
