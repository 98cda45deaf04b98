import assert from "node:assert/strict";
import {
  builtinNames,
  builtinText,
} from "../../../../workflows/runbooks/builtin/builtin_runbooks.ts";
import { loadRunbook } from "../../../../workflows/runbooks/language/loading/load.ts";
import { stepsIn } from "../../../../workflows/runbooks/language/walk.ts";
import { finders } from "../../../_finders.ts";
import { run } from "../../../_run.ts";

const root = new URL("../../../../", import.meta.url);

Deno.test("every file of a builtin runbook is part of the program", async () => {
  const folder = new URL("workflows/runbooks/builtin/", root);
  const files: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".yaml")) files.push(name);
  }
  assert.deepEqual(
    files.sort(),
    builtinNames.map((name) => `${name}.runbook.yaml`).sort(),
  );
});

for (const name of builtinNames) {
  Deno.test(`builtin:${name} is named like its file, and says what it is for`, () => {
    const text = builtinText(name) ?? "";
    assert.match(text, new RegExp(`^name: ${name}$`, "m"));
    assert.match(text, /^title: .{10,100}$/m);
    assert.match(text, /^docs: \|$/m);
  });
}

Deno.test("builtinText knows no other names", () => {
  assert.equal(builtinText("constructor"), undefined);
});

const chapters = [
  "## When to use it",
  "## What it does",
  "## When something goes wrong",
];
for (const name of builtinNames) {
  Deno.test(`builtin:${name} has a title for each step, so that no id is shown`, async () => {
    const find = finders;
    const { runbook } = await loadRunbook(`builtin:${name}`, { find });
    const untitled = [...stepsIn(runbook)].flatMap(({ step, onNode }) =>
      // A block without a title only groups its steps, as does another runbook on a node.
      step.title === undefined && step.verb !== "block" &&
        !(onNode && step.verb === "use")
        ? [step.id]
        : []
    );
    assert.deepEqual(untitled, []);
  });
}

for (const name of builtinNames) {
  Deno.test(`builtin:${name} has a page for the middle of the night`, async () => {
    // Those that are of use with another one only are reported there.
    const [, path = `docs/runbooks/${name}.md`] =
      /^ {2}Page: (\S+)$/m.exec(builtinText(name) ?? "") ?? [];
    const page = await Deno.readTextFile(new URL(path, root));
    const lines = page.split("\n");
    assert.deepEqual(lines.filter((line) => chapters.includes(line)), chapters);
    assert.match(page, /resum/);
  });
}

for (
  const [line, input] of [
    ["builtin:rolling-upgrade --input version=v1.13.8", "image=v1.13.8"],
    ["builtin:rolling-upgrade --input version=v1.13.8", "image=https://q.io/a"],
    ["builtin:upgrade-kubernetes --input to=v1.35.0", "kubeletImage=q.io/a:v1"],
  ] as const
) {
  Deno.test(`${line} refuses ${input}`, async () => {
    const { err, status } = await run(
      `runbook plan ${line} --input ${input} -n a`,
    );
    assert.match(err, /does not match its pattern/);
    assert.equal(status, 2);
  });
}
