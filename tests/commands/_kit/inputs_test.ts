import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import { targetInputs } from "../../../commands/_kit/target_nodes.ts";
import {
  count,
  InputProblem,
  requiredText,
  toggle,
} from "../../../commands/_kit/inputs.ts";
import {
  listFlags,
  parseValues,
  sortWords,
} from "../../../commands/_kit/parse.ts";

Deno.test("count counts occurrences or takes a number", () => {
  const flag = count("verbose", { short: "v" });
  assert.equal(flag.parse("+1", 2), 3);
  assert.equal(flag.parse("5", 2), 5);
  assert.throws(() => flag.parse("many", undefined), InputProblem);
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
