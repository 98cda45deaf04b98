import { withFolder } from "../../_folder.ts";
import assert from "node:assert/strict";
import { refuseInputs, writeOutputs } from "../../../commands/gen/_outputs.ts";
import { ConfigError } from "../../../errors.ts";
import { readMode } from "../config/_file.ts";

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test(name, () => withFolder({}, body));
}

async function refusal(result: Promise<unknown>): Promise<string> {
  const error = await result.then(() => undefined, (error) => error);
  assert.ok(error instanceof ConfigError, String(error));
  return `${error.message}\n${error.hint}`;
}

test("writeOutputs writes every file with mode 600", async (dir) => {
  await writeOutputs([
    { path: `${dir}/x.crt`, content: "crt" },
    { path: `${dir}/x.key`, content: "key" },
  ], false);
  assert.equal(await Deno.readTextFile(`${dir}/x.crt`), "crt");
  assert.equal(await Deno.readTextFile(`${dir}/x.key`), "key");
  assert.equal(await readMode(`${dir}/x.crt`), 0o600);
  assert.equal(await readMode(`${dir}/x.key`), 0o600);
});

test("writeOutputs with force replaces", async (dir) => {
  await Deno.writeTextFile(`${dir}/x.key`, "old", { mode: 0o644 });
  await writeOutputs([{ path: `${dir}/x.key`, content: "new" }], true);
  assert.equal(await Deno.readTextFile(`${dir}/x.key`), "new");
  assert.equal(await readMode(`${dir}/x.key`), 0o600);
});

test("refuseInputs finds a file under any of its names", async (dir) => {
  await Deno.writeTextFile(`${dir}/x`, "");
  await Deno.symlink("x", `${dir}/link`);
  const inputs = [`${dir}/none`, `${dir}/x`];
  await refuseInputs([`${dir}/y`, `${dir}/x/below`], inputs);
  for (const path of [`${dir}/x`, `${dir}/./x`, `${dir}/link`]) {
    assert.equal(
      await refusal(refuseInputs([`${dir}/y`, path], inputs)),
      `Cannot write "${path}": it is also an input\nChoose other names`,
    );
  }
});
