import assert from "node:assert/strict";
import type { AnyInput } from "../../../commands/_kit/inputs.ts";
import { entries } from "../../../commands/_index.ts";
import {
  isStandardStream,
  throughFile,
  writeOutput,
} from "../../../commands/_kit/output_file.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { kebab } from "../../../commands/_kit/parse.ts";

async function collect(content: AsyncIterable<Uint8Array>): Promise<string> {
  return await new Response(ReadableStream.from(content)).text();
}

Deno.test("output goes to the file that is named, else to standard output", () =>
  withFolder({}, async (folder) => {
    assert.equal(await collect(writeOutput(undefined, "a")), "a");
    assert.equal(await collect(writeOutput("-", new Uint8Array([98]))), "b");
    assert.equal(await collect(writeOutput(`${folder}/c`, "c")), "");
    assert.equal(await Deno.readTextFile(`${folder}/c`), "c");
    assert.deepEqual(
      [undefined, "-", "./-"].map(isStandardStream),
      [true, true, false],
    );
  }));

Deno.test("a file that fails is not passed on, and nothing stays", async () => {
  const paths: string[] = [];
  const made = throughFile("a", async (path) => {
    paths.push(path);
    await Deno.writeTextFile(path, "half");
    throw new Error("no");
  });
  await assert.rejects(collect(made), /no/);
  assert.equal(
    await collect(throughFile("a", (path) => {
      paths.push(path);
      return Deno.writeTextFile(path, "whole");
    })),
    "whole",
  );
  for (const path of paths) {
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  }
});

Deno.test("no command takes a file with the name -", async () => {
  const paths = new Set(["files", "directories", "yaml"]);
  for (const { name, load } of entries) {
    if (load === undefined) continue;
    const { inputs } = (await load()).command;
    for (const [key, input] of Object.entries<AnyInput<unknown>>(inputs)) {
      if (!paths.has(input.complete ?? "") || input.dash) continue;
      if (input.role === "argument") continue;
      const line = [...name.split(" "), `--${kebab(key)}`, "-"];
      const { err, status } = await run(line);
      assert.match(
        err,
        /^error: Invalid value "-" for .*: must be a path; standard input and output cannot be used here\n/,
        line.join(" "),
      );
      assert.equal(status, 2);
    }
  }
});

Deno.test("outputFile: -o - writes to standard output", () =>
  withFolder({ "c.yaml": "machine: {type: worker}\n" }, async (folder) => {
    for (
      const line of [
        "machineconfig schema",
        "runbook schema",
        "cgroups schema",
        `machineconfig patch ${folder}/c.yaml -p {"debug":true}`,
      ]
    ) {
      const named = await run(`${line} -o -`);
      const usual = await run(line);
      assert.ok(usual.out.length > 10, usual.err);
      assert.deepEqual([named.out, named.status], [usual.out, 0], named.err);
      await assert.rejects(Deno.stat("-"), Deno.errors.NotFound);
    }
  }));
