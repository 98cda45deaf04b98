import assert from "node:assert/strict";
import {
  findFolder,
  findOutdated,
  findUnlisted,
  folderLine,
  readResults,
  slowestTable,
  type TestResult,
} from "../../tools/test_results.ts";

const junit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="5" failures="2" errors="0" time="0.134">
    <testsuite name="./tests/a/a_test.ts" tests="4" disabled="1" errors="0" failures="1">
        <testcase name="&quot;a&quot; &gt; b" classname="./tests/a/a_test.ts" time="0.001" line="1" col="6">
        </testcase>
        <testcase name="off" classname="./tests/a/a_test.ts" time="0.000" line="3" col="11">
            <skipped/>
        </testcase>
        <testcase name="bad" classname="./tests/a/a_test.ts" time="2.500" line="2" col="6">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="bad &gt; in" classname="./tests/a/a_test.ts" time="0.000" line="2" col="43">
            <failure message="Uncaught Error: x">Error: x</failure>
        </testcase>
        <testcase name="leaky" classname="./tests/a/a_test.ts" time="0.037" line="4" col="6">
            <failure message="Leaks detected">Leaks detected:</failure>
        </testcase>
    </testsuite>
</testsuites>
`;

const file = "tests/a/a_test.ts";

Deno.test("readResults reads tests, not their steps, with the time each took on the machine of the limits", () => {
  assert.deepEqual(
    readResults(junit, { slowness: 2, cpuMs: [20, 4_000, 30], lacks: [] }),
    [
      { file, name: '"a" > b', state: "passed", ms: 1, cpuMs: 10 },
      { file, name: "off", state: "ignored", ms: 0 },
      { file, name: "bad", state: "failed", ms: 2_500, cpuMs: 2_000 },
      { file, name: "leaky", state: "leaked", ms: 37, cpuMs: 15 },
    ],
  );
});

const long: TestResult = {
  ...{ file, name: "long", state: "passed", ms: 9_000, cpuMs: 2_100 },
};
const short: TestResult = { ...long, name: "short", cpuMs: 2_000 };

Deno.test("unlisted notes tests over 2 s that are not on the list, and fails those over 10 s", () => {
  const longer: TestResult = { ...long, name: "longer", cpuMs: 10_100 };
  assert.deepEqual(findUnlisted([long, short, longer], {}), [
    {
      kind: "note",
      line:
        'tests/a/a_test.ts: "long" takes 2.1 s of processor time, more than 2 s',
    },
    {
      kind: "error",
      line:
        'tests/a/a_test.ts: "longer" takes 10.1 s of processor time, more than 2 s',
    },
  ]);
  assert.deepEqual(
    findUnlisted([long], { [file]: { long: "real nodes" } }),
    [],
  );
  assert.deepEqual(findUnlisted([long], { [file]: { "*": "real nodes" } }), []);
});

Deno.test("outdated names what the list has and no test is called", () => {
  const listed = { [file]: { long: "real nodes", gone: "real nodes" } };
  assert.deepEqual(findOutdated([long], listed), ['tests/a/a_test.ts: "gone"']);
});

Deno.test("findFolder is two levels deep", () => {
  assert.equal(findFolder("tests/errors_test.ts"), ".");
  assert.equal(findFolder("tests/pki/key_test.ts"), "pki");
  assert.equal(findFolder("tests/a/b/c/d_test.ts"), "a/b");
});

Deno.test("folderLine counts, slowestTable begins with the slowest", () => {
  assert.equal(
    folderLine("a", [long, { ...short, state: "leaked" }]),
    "a                                18.0 s  1 passed, 1 failed",
  );
  assert.equal(
    slowestTable([short, long]),
    `CPU     TIME    SLOWEST TESTS
2.1 s   9.0 s   tests/a/a_test.ts: long
2.0 s   9.0 s   tests/a/a_test.ts: short
`,
  );
});
