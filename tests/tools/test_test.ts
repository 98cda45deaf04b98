import assert from "node:assert/strict";
import { chooseFiles, groupFiles } from "../../tools/test.ts";
import { known } from "../_needs.ts";
import { runTest } from "./_test_projects.ts";

const all = [
  "tests/commands/etcd/status_test.ts",
  "tests/commands/etcd_test.ts",
  "tests/commands/version_test.ts",
  "tests/pki/key_test.ts",
];

Deno.test("chooseFiles takes folders, sources and tests, with tests/ or without", () => {
  assert.deepEqual(chooseFiles(all, []), all);
  for (
    const name of [
      "commands/version",
      "commands/version.ts",
      "tests/commands/version_test.ts",
      "./tests/commands/version",
    ]
  ) {
    assert.deepEqual(chooseFiles(all, [name]), [
      "tests/commands/version_test.ts",
    ]);
  }
  assert.deepEqual(chooseFiles(all, ["pki/", "commands/etcd"]), [
    "tests/commands/etcd/status_test.ts",
    "tests/commands/etcd_test.ts",
    "tests/pki/key_test.ts",
  ]);
});

Deno.test("chooseFiles takes scripts of commands, which one file runs", () => {
  const scripts = "tests/commands/scripts_test.ts";
  const more = [...all, scripts, "tests/commands/time.txt"];
  assert.deepEqual(chooseFiles(more, ["commands/time"]), [scripts]);
  assert.deepEqual(chooseFiles(more, []), [...all, scripts].toSorted());
});

Deno.test("chooseFiles names what has no tests", () => {
  assert.throws(() => chooseFiles(all, ["pki", "commands/vresion"]), {
    message:
      'No tests of "commands/vresion": neither tests/commands/vresion_test.ts nor tests/commands/vresion/ exists',
  });
});

Deno.test("groupFiles begins with slow files and those that wait, and mixes no folders", () => {
  assert.deepEqual(groupFiles(all, new Set(["tests/pki/key_test.ts"])), [
    ["tests/pki/key_test.ts"],
    all.slice(0, 3),
  ]);
  assert.deepEqual(groupFiles(all, new Set(["tests/commands/etcd_test.ts"])), [
    ["tests/commands/etcd_test.ts"],
    [all[0], all[2]],
    ["tests/pki/key_test.ts"],
  ]);
  assert.deepEqual(groupFiles(all, new Set()), [
    all.slice(0, 3),
    ["tests/pki/key_test.ts"],
  ]);
  assert.deepEqual(
    groupFiles([...all, "tests/wire/a_test.ts"], new Set()).at(0),
    ["tests/wire/a_test.ts"],
  );
  const node = "tests/commands/cluster/node_test.ts";
  assert.deepEqual(groupFiles([node, ...all], new Set()), [
    [node],
    all.slice(0, 3),
    ["tests/pki/key_test.ts"],
  ]);
  const many = Array.from({ length: 101 }, (_, at) => `tests/a/${at}_test.ts`);
  const lengths = (slow: readonly string[], files = many) =>
    groupFiles(files, new Set(slow)).map(({ length }) => length);
  assert.deepEqual(lengths([]), [51, 50]);
  assert.deepEqual(lengths(many.slice(0, 4)), [2, 2, 97]);
  // Rooms with few files come last.
  assert.deepEqual(lengths([], [...all, ...many.slice(0, 30)]), [30, 3, 1]);
});

Deno.test("tests that pass have a line for each folder, and one for all", async () => {
  const { isGood, text } = await runTest({
    "tests/a/b/one_test.ts": `Deno.test("one", () => {});
Deno.test("two > three", async (t) => { await t.step("in it", () => {}); });
`,
    "tests/a/b/c/two_test.ts": `Deno.test.ignore("four", () => {});`,
  });
  assert.equal(isGood, true);
  assert.match(text, /^a\/b +0 s {2}2 passed, 1 ignored$/m);
  assert.match(text, /^ok \| 2 passed \| 0 failed \| 1 ignored \(0 s\)$/m);
});

const lacking = `import { noteLack } from "${
  import.meta.resolve("../../tools/test_meter.ts")
}";
Deno.test.ignore("plain", (noteLack([{ name: "etcd", debian: "etcd-server", brew: "etcd" }]), () => {}));
Deno.test("runs", () => {});
Deno.test.ignore("far", (noteLack([{ name: "TALOSCTL", optional: "a variable" }]), () => {}));
`;

Deno.test("the end of a run says what ignored tests lack, and how it is installed", async () => {
  const { isGood, text } = await runTest({ "tests/a/one_test.ts": lacking });
  assert.equal(isGood, true);
  assert.match(
    text,
    /^2 ignored: 1 need etcd, 1 TALOSCTL\nDebian: apt-get install --no-install-recommends etcd-server\nmacOS: brew install etcd$/m,
  );
});

Deno.test("where all is required, tests that lack what CI has fail by name", async () => {
  const files = { "tests/a/one_test.ts": lacking };
  const { isGood, text } = await runTest(files, {}, "all");
  assert.equal(isGood, false);
  assert.match(
    text,
    /^error: tests\/a\/one_test\.ts: "plain" is ignored, and must run: it lacks etcd$/m,
  );
  assert.doesNotMatch(text, /"far" is ignored/);
});

Deno.test("tests that fail, leak or cannot be loaded are shown, leaks with where they began", async () => {
  const { isGood, text } = await runTest({
    "tests/a/one_test.ts": `Deno.test("one", () => { throw new Error("no"); });
Deno.test("two", () => void setTimeout(() => {}, 1e6));
`,
    "tests/_preload.ts": "Object.assign(globalThis, { loadedOnce: true });",
    "tests/b/wrong_test.ts": 'import "./absent.ts";',
    "tests/c/third_test.ts": `Deno.test("three", () => {
  setTimeout(() => {}, 1e6);
  if (!globalThis.loadedOnce) throw new Error("nothing was loaded before");
});
`,
  });
  assert.equal(isGood, false);
  assert.match(text, /error: Error: no/);
  assert.match(text, /started here:\n.*\n.*\n.*\n.*one_test\.ts:2:\d+/);
  assert.match(text, /Module not found .*absent\.ts/);
  assert.match(text, /started here:\n.*\n.*\n.*\n.*third_test\.ts:2:\d+/);
  assert.doesNotMatch(text, /nothing was loaded before/);
  assert.match(text, /^FAILED \| 0 passed \| 4 failed \| 0 ignored/m);
});

Deno.test("slow_tests.json: every listed test exists", async () => {
  const { isGood, text } = await runTest(
    { "tests/a/one_test.ts": 'Deno.test("one", () => {});' },
    { "tests/a/one_test.ts": { two: "it waits" } },
  );
  assert.equal(isGood, false);
  assert.match(
    text,
    /^error: tests\/slow_tests\.json: there is no test tests\/a\/one_test\.ts: "two"$/m,
  );
});

Deno.test("CI installs each package that a test needs", async () => {
  const list = await Deno.readTextFile(
    new URL("../../.ci/packages", import.meta.url),
  );
  const installed = new Set(list.split(/\s+/));
  const lacking = known.flatMap(({ debian }) => debian ?? [])
    .filter((name) => !installed.has(name));
  assert.deepEqual(lacking, []);
});

Deno.test("needs of tests are declared in _needs.ts only", async () => {
  const folder = new URL("../", import.meta.url);
  const own: string[] = [];
  for (const file of await filesIn(folder)) {
    const text = await Deno.readTextFile(file);
    if (/^ +ignore(:|,$)/m.test(text)) own.push(file.pathname);
  }
  assert.deepEqual(own, []);
});

async function filesIn(folder: URL): Promise<readonly URL[]> {
  const found: URL[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) found.push(...await filesIn(url));
    else if (name.endsWith(".ts") && name !== "_needs.ts") found.push(url);
  }
  return found;
}
