import assert from "node:assert/strict";
import {
  refuseInputs,
  refuseTaken,
  withEnding,
  writeOutputs,
} from "../../../commands/gen/_outputs.ts";
import { ConfigError } from "../../../errors.ts";
import { modeOf, namesIn } from "../config/_file.ts";

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test(name, async () => {
    const dir = await Deno.makeTempDir();
    try {
      await body(dir);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
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
  assert.equal(await modeOf(`${dir}/x.crt`), 0o600);
  assert.equal(await modeOf(`${dir}/x.key`), 0o600);
});

test("writeOutputs names every file that exists and writes none", async (dir) => {
  await Deno.writeTextFile(`${dir}/x.key`, "old");
  await Deno.mkdir(`${dir}/x.sha256`);
  const outputs = ["crt", "sha256", "key"].map((end) => ({
    path: `${dir}/x.${end}`,
    content: "new",
  }));
  assert.equal(
    await refusal(writeOutputs(outputs, false)),
    `Cannot write "${dir}/x.sha256", "${dir}/x.key": they already exist
Replace with --force`,
  );
  assert.deepEqual(await namesIn(dir), ["x.key", "x.sha256"]);
  assert.equal(await Deno.readTextFile(`${dir}/x.key`), "old");
});

test("writeOutputs with force replaces", async (dir) => {
  await Deno.writeTextFile(`${dir}/x.key`, "old", { mode: 0o644 });
  await writeOutputs([{ path: `${dir}/x.key`, content: "new" }], true);
  assert.equal(await Deno.readTextFile(`${dir}/x.key`), "new");
  assert.equal(await modeOf(`${dir}/x.key`), 0o600);
});

test("refuseTaken refuses one file that exists, unless forced", async (dir) => {
  const path = `${dir}/x.key`;
  await refuseTaken([path], false);
  await Deno.writeTextFile(path, "old");
  assert.equal(
    await refusal(refuseTaken([path, `${dir}/y`], false)),
    `Cannot write "${path}": it already exists\nReplace with --force`,
  );
  await refuseTaken([path], true);
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

Deno.test("withEnding replaces the last ending of the name, or adds one", () => {
  assert.equal(withEnding("a.key", ".csr"), "a.csr");
  assert.equal(withEnding("/x.d/a.b.pem", ".csr"), "/x.d/a.b.csr");
  assert.equal(withEnding("x.d/a", ".csr"), "x.d/a.csr");
  assert.equal(withEnding("a", ".csr"), "a.csr");
});
