import assert from "node:assert/strict";
import { toggle } from "../../../commands/_kit/inputs.ts";
import { flagsOf, sortWords, valuesOf } from "../../../commands/_kit/parse.ts";
import { requiredText } from "../../../commands/_kit/required.ts";

const inputs = {
  name: requiredText("name of the file", { short: "n" }),
  ca: requiredText("authority"),
  force: toggle("replace"),
};

function valuesIn(...argv: string[]): Promise<Record<string, unknown>> {
  return valuesOf(
    inputs,
    sortWords(argv, flagsOf(inputs)),
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
