import assert from "node:assert/strict";
import fc from "fast-check";
import {
  count,
  integer,
  optionalWord,
  stringArray,
  strings,
  text,
  toggle,
  word,
} from "../../../commands/_kit/inputs.ts";
import {
  type AnyInputs,
  listFlags,
  parseValues,
  sortWords,
} from "../../../commands/_kit/parse.ts";
import { UsageError } from "../../../errors.ts";

const inputs = {
  wait: toggle("wait", { initial: true }),
  follow: toggle("follow", { short: "f" }),
  kubernetes: toggle("kubernetes", { short: "k" }),
  nodes: strings("nodes", { short: "n", aliases: ["node"] }),
  patch: stringArray("patch", { short: "p", atFile: true }),
  tail: integer("tail", { initial: -1 }),
  configPatch: text("a name of two words"),
  verbose: count("verbose", { short: "v" }),
  path: optionalWord("path"),
};

async function parse(
  argv: readonly string[],
  declared: AnyInputs = inputs,
): Promise<Record<string, unknown>> {
  const sorted = sortWords(argv, listFlags(declared));
  return await parseValues(
    declared,
    sorted,
    (path) => Promise.resolve(`<${path}>`),
  );
}

async function parseGiven(...argv: string[]): Promise<Record<string, unknown>> {
  const [all, none] = [await parse(argv), await parse([])];
  return Object.fromEntries(
    Object.entries(all).filter(([key, value]) =>
      JSON.stringify(value) !== JSON.stringify(none[key])
    ),
  );
}

Deno.test("parseValues reads @file values of flags that allow it", async () => {
  assert.deepEqual(await parseGiven("-p", "@a.yaml", "-p", "b,c"), {
    patch: ["<a.yaml>", "b,c"],
  });
  assert.deepEqual(await parseGiven("--config-patch", "@a"), {
    configPatch: "@a",
  });
});

Deno.test("wrong input is named, with what would be right", async () => {
  const cases: readonly (readonly [string[], string, string | undefined])[] = [
    [["--tial=1"], "Unknown flag --tial", "Did you mean --tail?"],
    [["--xyzzy"], "Unknown flag --xyzzy", undefined],
    [["-x"], "Unknown flag -x", undefined],
    [["-fx"], "Unknown flag -x in -fx", undefined],
    [["--config"], "Unknown flag --config", "Did you mean --config-patch?"],
    [["--patch-file"], "Unknown flag --patch-file", undefined],
    [
      ["a", "--follow", "5"],
      'Unexpected argument "5"',
      "Flag -f, --follow is a switch: it takes no value",
    ],
    [
      ["a", "--wait", "false"],
      'Unexpected argument "false"',
      "Type: --wait=false",
    ],
    [["-folow"], "Unknown flag -o in -folow", "Did you mean --follow?"],
    [["--nodes"], "Flag -n, --nodes needs a value", undefined],
    [
      ["--tail", "x"],
      'Invalid value "x" for --tail: must be a whole number',
      undefined,
    ],
    [
      ["--tail", "3000000000"],
      'Invalid value "3000000000" for --tail: must be a whole number from -2147483648 to 2147483647',
      undefined,
    ],
    [
      ["--wait=maybe"],
      'Invalid value "maybe" for --wait: must be true or false',
      undefined,
    ],
    [
      ["a", "b"],
      'Unexpected argument "b"',
      "This command takes at most 1 argument",
    ],
  ];
  for (const [argv, message, hint] of cases) {
    await assert.rejects(parse(argv), (error) => {
      assert.ok(error instanceof UsageError);
      assert.deepEqual([error.message, error.hint], [message, hint]);
      return true;
    });
  }
});

Deno.test("sortWords and parseValues end in values or a usage error, whatever is typed", async () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "-n",
      "--nodes",
      "-fk",
      "--",
      "-",
      "--wait=",
      "-v",
      "=",
      "--tail",
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (argv) => {
      await parse(argv).catch((error) =>
        assert.ok(error instanceof UsageError)
      );
    }),
  );
});

Deno.test("an unknown flag that ends others names them, those of the command first", async () => {
  const declared = {
    nodeTimeout: text("of all commands"),
    waitTimeout: text("of the command"),
  };
  await assert.rejects(parse(["--timeout"], declared), {
    message: "Unknown flag --timeout",
    hint: "Did you mean --wait-timeout or --node-timeout?",
  });
});

Deno.test("a missing argument has its values, or examples", async () => {
  const shell = word("a shell", { choices: ["bash", "zsh"] });
  await assert.rejects(parse([], { shell }), {
    message: "Argument <shell> is missing: a shell",
    hint: "Choose one of: bash, zsh",
  });
  const type = word("a type", { whenMissing: "Try members" });
  await assert.rejects(parse([], { type }), {
    message: "Argument <type> is missing: a type",
    hint: "Try members",
  });
});
