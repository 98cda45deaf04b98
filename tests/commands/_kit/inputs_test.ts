import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import { targetInputs } from "../../../commands/_kit/target_nodes.ts";
import {
  choice,
  count,
  duration,
  InputProblem,
  integer,
  optionalWord,
  requiredText,
  rest,
  stringArray,
  strings,
  text,
  toggle,
  word,
} from "../../../commands/_kit/inputs.ts";
import {
  listFlags,
  parseValues,
  sortWords,
} from "../../../commands/_kit/parse.ts";

Deno.test("toggle takes true and false in the usual spellings", () => {
  const flag = toggle("wait", { initial: true });
  assert.equal(flag.initial, true);
  assert.equal(flag.bare, "true");
  assert.equal(flag.parse("FALSE", undefined), false);
  assert.equal(flag.parse("1", undefined), true);
  assert.throws(() => flag.parse("yes", undefined), {
    message: "must be true or false",
  });
});

Deno.test("text has a default or none", () => {
  assert.equal(text("name").initial, undefined);
  assert.equal(text("name", { initial: "os" }).initial, "os");
  assert.equal(text("name").parse(" x ", undefined), " x ");
});

Deno.test("integer keeps its bounds and understands prefixes", () => {
  const flag = integer("key", { initial: 0, least: 0, most: 255 });
  assert.equal(flag.parse("0x0a", undefined), 10);
  assert.equal(flag.parse("0o12", undefined), 10);
  assert.equal(flag.parse("255", undefined), 255);
  for (const wrong of ["256", "-1", "1.5", "", "ten"]) {
    assert.throws(() => flag.parse(wrong, undefined), {
      message: "must be a whole number from 0 to 255",
    });
  }
});

Deno.test("choice names what would be right", () => {
  const flag = choice("sort", ["rss", "cpu"], { initial: "rss" });
  assert.equal(flag.parse("cpu", undefined), "cpu");
  assert.throws(() => flag.parse("mem", undefined), {
    message: "must be one of rss, cpu",
  });
});

Deno.test("duration is in milliseconds", () => {
  const flag = duration("timeout", { initial: "1m0s" });
  assert.equal(flag.initial, 60_000);
  assert.equal(flag.shown, "1m0s");
  assert.equal(flag.parse("1h30m", undefined), 5_400_000);
  assert.throws(() => flag.parse("soon", undefined), InputProblem);
});

Deno.test("strings are separated by commas and add up", () => {
  const flag = strings("nodes");
  assert.deepEqual(flag.parse("a, b,,c", undefined), ["a", "b", "c"]);
  assert.deepEqual(flag.parse("d", ["a"]), ["a", "d"]);
});

Deno.test("stringArray takes values whole and adds up", () => {
  const flag = stringArray("patch");
  assert.deepEqual(flag.parse("a,b", undefined), ["a,b"]);
  assert.deepEqual(flag.parse("c", ["a,b"]), ["a,b", "c"]);
});

Deno.test("count counts occurrences or takes a number", () => {
  const flag = count("verbose", { short: "v" });
  assert.equal(flag.parse("+1", 2), 3);
  assert.equal(flag.parse("5", 2), 5);
  assert.throws(() => flag.parse("many", undefined), InputProblem);
});

Deno.test("arguments take as many words as they say", () => {
  assert.equal(word("id").parse(["etcd"]), "etcd");
  assert.equal(optionalWord("path").parse([]), undefined);
  assert.deepEqual(rest("paths", { least: 1 }).parse(["a", "b"]), ["a", "b"]);
  assert.throws(
    () => word("shell", { choices: ["bash", "zsh"] }).parse(["tcsh"]),
    { message: "must be one of bash, zsh" },
  );
});

const inputs = {
  name: requiredText("name of the file", { short: "n" }),
  ca: requiredText("authority"),
  force: toggle("replace"),
};

function valuesIn(...argv: string[]): Promise<Record<string, unknown>> {
  return parseValues(
    inputs,
    sortWords(argv, listFlags(inputs)),
    (path) => Promise.resolve(path),
  );
}

async function refusal(...argv: string[]): Promise<string> {
  return await valuesIn(...argv).then(
    () => assert.fail("it was accepted"),
    (error) => `${error.name}: ${error.message}`,
  );
}

Deno.test("requiredText gives the text as it was typed", async () => {
  assert.deepEqual(await valuesIn("-n", " x ", "--ca=y"), {
    name: " x ",
    ca: "y",
    force: false,
  });
});

Deno.test("requiredText refuses a command line without the flag", async () => {
  assert.equal(
    await refusal("--ca", "y"),
    "UsageError: Flag --name is missing: name of the file",
  );
  assert.equal(
    await refusal("--force"),
    "UsageError: Flags --name, --ca are missing",
  );
});

Deno.test("requiredText refuses an empty value", async () => {
  assert.equal(
    await refusal("--name=", "--ca", "y"),
    'UsageError: Invalid value "" for -n, --name: must not be empty',
  );
});

Deno.test("every command that asks for confirmation is answered with --yes and -y", async () => {
  const other = /no-?confirm$|assume-?yes|^force-yes$/;
  for (const { name, load } of entries) {
    if (load === undefined) continue;
    const file = await load();
    const inputs = { ...targetInputs(file), ...file.command.inputs };
    for (const { name: flag, flag: { short, aliases } } of listFlags(inputs)) {
      if (flag === "yes") assert.equal(short, "y", name);
      // A trial is confirmed by osctl, not by a person.
      else if (flag !== "no-confirm") assert.doesNotMatch(flag, other, name);
      if (aliases?.includes("noconfirm")) assert.equal(flag, "yes", name);
    }
  }
});
