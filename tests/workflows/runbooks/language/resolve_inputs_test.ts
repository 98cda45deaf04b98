import assert from "node:assert/strict";
import {
  type InputQuestion,
  type InputSources,
  resolveInputs,
} from "../../../../workflows/runbooks/language/resolve_inputs.ts";
import type { Json } from "../../../../lib/json.ts";
import { withFolder } from "../../../_folder.ts";
import { anyStep, book, load } from "./_finders.ts";

async function resolve(
  inputs: string,
  sources: Partial<InputSources>,
): Promise<{
  readonly values: Readonly<Record<string, Json>>;
  readonly secrets: Readonly<Record<string, string>>;
}> {
  const runbook = await load({ "a.yaml": book(`inputs: ${inputs}`, anyStep) });
  const { values, secrets } = await resolveInputs(runbook, {
    given: [],
    secrets: [],
    env: () => undefined,
    ...sources,
  });
  const texts = [...secrets].map(([name, bytes]) =>
    [name, new TextDecoder().decode(bytes)] as const
  );
  return { values, secrets: Object.fromEntries(texts) };
}

async function resolveValue(
  input: string,
  sources: Partial<InputSources>,
): Promise<Json | undefined> {
  return (await resolve(`{ x: ${input} }`, sources)).values["x"];
}

const read: readonly (readonly [type: string, text: string, value: Json])[] = [
  ["string", "a=b", "a=b"],
  ["string", "", ""],
  ["int", "-12", -12],
  ["bool", "true", true],
  ["bool", "false", false],
  ["duration", "1h30m", "1h30m"],
  ["semver", "1.13.4", "v1.13.4"],
  ["semver", "v1.13.4-rc.1", "v1.13.4-rc.1"],
  ["enum, values: [a, b]", "b", "b"],
  ["countOrPercent", "3", 3],
  ["countOrPercent", "30%", "30%"],
  ["path", "./x", "./x"],
  ["node", "n1", "n1"],
  ["nodes", "n1, n2,", ["n1", "n2"]],
];
for (const [type, text, value] of read) {
  Deno.test(`resolveInputs reads ${text} as ${type}`, async () => {
    const given = [`x=${text}`];
    assert.deepEqual(await resolveValue(`{ type: ${type} }`, { given }), value);
  });
}

Deno.test("resolveInputs takes null in a file for nothing", async () => {
  const file = { path: "in.yaml", text: "x:\n" };
  assert.equal(await resolveValue("{ type: int, default: 7 }", { file }), 7);
});

Deno.test("resolveInputs asks for what has to be given, and for nothing else", async () => {
  const questions: InputQuestion[] = [];
  const ask = (question: InputQuestion) => {
    questions.push(question);
    return Promise.resolve(question.secret ? "s3cret" : "v1.2.3");
  };
  const found = await resolve(
    "{ v: { type: semver, required: true, description: Version }, w: { type: int }, k: { type: secret, required: true }, l: { type: secret } }",
    { ask },
  );
  assert.deepEqual(questions, [
    {
      name: "v",
      summary: "Version",
      expected: "a version such as v1.13.4",
      secret: false,
    },
    { name: "k", summary: "", expected: "a secret", secret: true },
  ]);
  assert.deepEqual(found, {
    values: { v: "v1.2.3" },
    secrets: { k: "s3cret" },
  });
});

Deno.test("resolveInputs reads secrets from files and from the environment", async () => {
  await withFolder({ "k.pem": "pem\n" }, async (folder) => {
    const { secrets } = await resolve(
      "{ a: { type: secret }, b: { type: secret, required: true } }",
      {
        secrets: [`a=@${folder}/k.pem`, "b=env:KEY"],
        env: (name) => name === "KEY" ? "from env" : undefined,
      },
    );
    assert.deepEqual(secrets, { a: "pem\n", b: "from env" });
  });
});

const refused: readonly (readonly [
  inputs: string,
  sources: Partial<InputSources>,
  message: string,
  hint: string,
])[] = [
  [
    "{ wait: { type: duration } }",
    { given: ["wait=5"] },
    '--input: Input "wait": "5" is not a duration',
    "Give a duration such as 90s or 1h30m",
  ],
  [
    "{ n: { type: int, max: 3 } }",
    { file: { path: "in.yaml", text: "# x\nn: 4\n" } },
    'in.yaml:2:4: Input "n": 4 is more than 3',
    "Give 3 or less",
  ],
  [
    "{ n: { type: int } }",
    { env: (name) => name === "OSCTL_INPUT_N" ? "many" : undefined },
    'OSCTL_INPUT_N: Input "n": "many" is not a whole number',
    "Give a whole number such as 3",
  ],
  [
    "{ w: { type: duration, min: 1m } }",
    { given: ["w=30s"] },
    '--input: Input "w": 30s is less than 1m',
    "Give 1m or more",
  ],
  [
    "{ s: { type: string, pattern: '[a-z]+' } }",
    { given: ["s=ab1"] },
    '--input: Input "s": "ab1" does not match its pattern',
    "Use a value that matches [a-z]+",
  ],
  [
    "{ e: { type: enum, values: [never, always] } }",
    { given: ["e=nevr"] },
    '--input: Input "e": "nevr" is not one of the allowed values',
    'Did you mean "never"?',
  ],
  [
    "{ s: { type: string } }",
    { given: ["s=${{ inputs.x }}"] },
    '--input: Input "s": Expressions are not allowed here',
    "Give a value",
  ],
  [
    "{ version: { type: semver } }",
    { given: ["versoin=1"] },
    '--input: There is no input "versoin"',
    'Did you mean "version"?',
  ],
  [
    "{ version: { type: semver } }",
    { given: ["version"] },
    '--input has no "=" between name and value',
    "Give --input name=value",
  ],
  [
    "{ a: { type: int } }",
    { given: ["a=1", "a=2"] },
    'Input "a" is given twice',
    "Give it once",
  ],
  [
    "{ a: { type: int } }",
    { file: { path: "in.yaml", text: "- a\n" } },
    "in.yaml: It is not a mapping",
    "Write one line for each input, as name: value",
  ],
  [
    "{ v: { type: semver, required: true } }",
    {},
    'Input "v" is missing',
    "Give --input v=value, a version such as v1.13.4",
  ],
  [
    "{ v: { type: semver, required: true } }",
    { ask: () => Promise.resolve(undefined) },
    'Input "v" is missing',
    "Give --input v=value, a version such as v1.13.4",
  ],
  [
    "{ v: { type: semver, required: true } }",
    { ask: () => Promise.resolve("x") },
    'answer: Input "v": "x" is not a version',
    "Give a version such as v1.13.4",
  ],
  [
    "{ k: { type: secret } }",
    { given: ["k=hush"] },
    '--input: Input "k" is a secret',
    "Give --secret k=@file or --secret k=env:NAME",
  ],
  [
    "{ k: { type: secret } }",
    { file: { path: "in.yaml", text: "k: hush\n" } },
    'in.yaml:1:4: Input "k" is a secret',
    "Give --secret k=@file or --secret k=env:NAME",
  ],
  [
    "{ k: { type: secret, required: true } }",
    { secrets: ["k=hush"] },
    'Input "k": Secrets cannot be given on the command line',
    "Give @file or env:NAME",
  ],
  [
    "{ k: { type: secret } }",
    { secrets: ["hush"] },
    '--secret has no "=" between name and value',
    "Give --secret name=@file",
  ],
  [
    "{ k: { type: secret } }",
    { secrets: ["k=env:NOPE"] },
    'Input "k": "NOPE" is not set',
    "Give env:NAME",
  ],
  [
    "{ k: { type: secret } }",
    { secrets: ["k=@/nowhere/k"] },
    'Input "k": There is no file "/nowhere/k"',
    "Give @file",
  ],
  [
    "{ a: { type: int } }",
    { secrets: ["a=@f"] },
    '--secret: Input "a" is not a secret',
    "Give --input a=value",
  ],
  [
    "{ k: { type: secret, required: true } }",
    {},
    'Input "k" is missing',
    "Give --secret k=@file or --secret k=env:NAME",
  ],
];
for (const [inputs, sources, text, hint] of refused) {
  Deno.test(`resolveInputs says ${text} (${hint})`, async () => {
    await assert.rejects(resolve(inputs, sources), {
      name: "ConfigError",
      message: `Cannot run "test": ${text}`,
      hint,
    });
  });
}
