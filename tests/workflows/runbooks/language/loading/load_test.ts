import assert from "node:assert/strict";
import { loadRunbook } from "../../../../../workflows/runbooks/language/loading/load.ts";
import { RunbookError } from "../../../../../workflows/runbooks/language/problem.ts";
import { anyStep, book, type Files, finders, problems } from "../_finders.ts";

const node = book(
  "per: node",
  "inputs: { wait: { type: duration, required: true } }",
  "steps: [{ id: r, run: node.reboot, timeout: '${{ inputs.wait }}' }]",
);

const main = book(
  "inputs: { wait: { type: duration, default: 5m } }",
  "groups: { all: {} }",
  "steps:",
  "  - id: each",
  "    forEach: all",
  "    steps: [{ id: body, use: ./sub/node.yaml, pass: same-named }]",
);

Deno.test("loadRunbook gives the runbook and every file with its hash", async () => {
  const files: Files = { "x/a.yaml": main, "x/sub/node.yaml": node };
  const { runbook, files: read } = await loadRunbook("./x/a.yaml", {
    find: finders,
    read: (path) => Promise.resolve(files[path]),
  });
  assert.equal(runbook.name, "test");
  assert.deepEqual(read.map(({ path }) => path), [
    "x/a.yaml",
    "x/sub/node.yaml",
  ]);
  assert.equal(read[1]?.text, node);
  assert.match(read[1]?.sha256 ?? "", /^[0-9a-f]{64}$/);
});

Deno.test("loadRunbook hashes the text as it is", async () => {
  const { files } = await loadRunbook("a.yaml", {
    find: finders,
    read: () => Promise.resolve(book(anyStep)),
  });
  assert.equal(
    files[0]?.sha256,
    "8cc0765cdc276fad220b608a7ef44f8987085ef2656b6e0412ce34f736a82c16",
  );
});

Deno.test("loadRunbook takes the name of a builtin runbook alone, unless there is a file of that name", async () => {
  const read = (path: string) =>
    Promise.resolve(path === "mine" ? node : undefined);
  const { files } = await loadRunbook("mine", { find: finders, read });
  assert.equal(files[0]?.path, "mine");
  const missing = loadRunbook("rolling-upgrad", { find: finders, read });
  await assert.rejects(missing, {
    message: 'There is no file "rolling-upgrad"',
    hint: 'Did you mean "rolling-upgrade"?',
  });
  const none = loadRunbook("x.yaml", { find: finders, read });
  await assert.rejects(none, {
    message: 'There is no file "x.yaml"',
    hint: undefined,
  });
});

function using(target: string): string {
  return book(`steps: [{ id: u, use: ${target} }]`);
}

const included: readonly (readonly [Files, string])[] = [
  [{ "a.yaml": using("./b.yaml") }, 'a.yaml:5:23: There is no file "b.yaml"'],
  [
    { "a.yaml": using("./b.yaml"), "b.yaml": "a: *x" },
    "b.yaml:1:4: Cannot read it: the alias *x is not defined (Put &x before the value it refers to)",
  ],
  [
    { "a.yaml": using("https://example.org/b.yaml") },
    'a.yaml:5:23: "https://example.org/b.yaml" is not a file next to this one (Only files and builtin runbooks can be included, not URLs)',
  ],
  [
    { "a.yaml": using("b.yaml") },
    'a.yaml:5:23: "b.yaml" is neither a file nor a builtin runbook (Write ./b.yaml for a file next to this one, builtin:name for a builtin runbook)',
  ],
  [
    { "a.yaml": using("builtin:node-upgrad") },
    'a.yaml:5:23: There is no builtin runbook "node-upgrad" (Did you mean "node-upgrade"?)',
  ],
  [
    { "a.yaml": using("./a.yaml") },
    "a.yaml:5:23: The runbook includes itself: a.yaml -> a.yaml (Remove one of the uses)",
  ],
  [
    {
      "a.yaml": using("./x/b.yaml"),
      "x/b.yaml": using("../c.yaml"),
      "c.yaml": using("./x/../x/b.yaml"),
    },
    "c.yaml:5:23: The runbook includes itself: x/b.yaml -> c.yaml -> x/b.yaml (Remove one of the uses)",
  ],
];
for (const [files, expected] of included) {
  Deno.test(`loadRunbook says ${expected}`, async () => {
    assert.deepEqual(await problems(files), [expected]);
  });
}

function chain(length: number): Files {
  const names = Array.from({ length }, (_, i) => `f${i}.yaml`);
  return Object.fromEntries(names.map((name, i) => [
    i === 0 ? "a.yaml" : name,
    i === length - 1 ? book(anyStep) : using(`./f${i + 1}.yaml`),
  ]));
}

Deno.test("loadRunbook follows eight runbooks that use one another, not nine", async () => {
  assert.deepEqual(await problems(chain(9)), []);
  assert.deepEqual(await problems(chain(10)), [
    "f8.yaml:5:23: Runbooks are nested more than 8 levels deep (Nest fewer runbooks)",
  ]);
});

Deno.test("loadRunbook refuses programs unless it is told how to build them", async () => {
  const files: Files = { "a.ts": "export default 1;" };
  const read = (path: string) => Promise.resolve(files[path]);
  await assert.rejects(
    loadRunbook("a.ts", { find: finders, read }),
    {
      message:
        'Cannot use runbook "a.ts": a.ts:1:1: Cannot load "a.ts": TypeScript runbooks are not loaded here',
    },
  );
  const { runbook, files: [file] } = await loadRunbook("a.ts", {
    find: finders,
    read,
    build: () => Promise.resolve({ document: book(anyStep), calls: [] }),
  });
  assert.equal(runbook.name, "test");
  assert.equal(file?.text, "export default 1;");
});

Deno.test("loadRunbook checks expressions unless told another way", async () => {
  const text = book(
    "inputs: { version: { type: semver, required: true } }",
    "steps:",
    "  - id: a",
    "    when: inputs.vesion == 'x'",
    "    sleep: ${{ inputs.version }}",
  );
  const read = () => Promise.resolve(text);
  await assert.rejects(
    loadRunbook("a.yaml", { find: finders, read }),
    (error) => {
      assert.ok(error instanceof RunbookError);
      assert.deepEqual(
        error.problems.map(({ place }) => `${place.line}:${place.column}`),
        ["8:11", "9:12"],
      );
      return true;
    },
  );
});

Deno.test("loadRunbook refuses few files that stand for many steps", async () => {
  const names = ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"];
  const files = names.map((name, i) => {
    const steps = Array.from(
      { length: 12 },
      (_, k) =>
        i === names.length - 1
          ? `  - { id: s${k}, run: etcd.status }`
          : `  - { id: s${k}, use: ./${names[i + 1]} }`,
    );
    return [name, book("steps:", ...steps)] as const;
  });
  assert.deepEqual(await problems(Object.fromEntries(files)), [
    "a.yaml:1:1: The runbook has 271452 steps, including the runbooks it uses (Use at most 10000)",
  ]);
});
