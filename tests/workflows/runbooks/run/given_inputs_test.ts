import assert from "node:assert/strict";
import type { Environment } from "../../../../terminal/environment.ts";
import {
  type GivenInputs,
  inputsOf,
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
  const { values, secrets } = await inputsOf(runbook, {
    given: { input: [], inputs: undefined, secret: [], ...flags },
    environment,
    signal: new AbortController().signal,
  });
  const key = secrets.get("k");
  return { values, key: new TextDecoder().decode(key), shown: shown.join("") };
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
      key: "hush",
      shown: "",
    });
  });
});

Deno.test("what is missing is asked for at a terminal, secrets unseen", async () => {
  assert.deepEqual(await inputs({}, { typed: ["7\n", "hush\r"] }), {
    values: { a: 7, b: "none" },
    key: "hush",
    shown: "a (A number, a whole number such as 3): k (a secret): \n",
  });
});

Deno.test("what is missing is told where there is no terminal to ask on", async () => {
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
