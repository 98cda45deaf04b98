import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  countTests,
  filesIn,
} from "../../../workflows/conformance/test_results.ts";

Deno.test("result files are read from the log of the pod", async () => {
  const base64 = gzipSync("one\ntwo\n").toString("base64");
  const half = base64.length >> 1;
  const lines = `file e2e.log\n${base64.slice(0, half)}\n${
    base64.slice(half)
  }\nend\n`;
  assert.deepEqual([...await filesIn(lines)], [["e2e.log", "one\ntwo\n"]]);
  assert.equal((await filesIn("")).size, 0);
  for (
    const [log, why] of [
      ["file e2e.log\n", "they are incomplete"],
      ["file passwd\nend\n", 'the tests write no file "passwd"'],
      [`${base64}\nend\n`, "no file is named first"],
      [`file e2e.log\n${base64.slice(0, 8)}\nend\n`, ""],
      ["file e2e.log\n***\nend\n", ""],
    ] as const
  ) {
    await assert.rejects(filesIn(log), ({ message }: Error) => {
      assert.ok(
        message.startsWith(`Cannot read the test results: ${why}`),
        message,
      );
      return true;
    });
  }
});

Deno.test("JUnit says which tests failed, and how many did not", () => {
  const cases = [
    ["[It] [sig-node] Pods should run", "passed"],
    ["[It] [sig-apps] Job &quot;a&gt;b&quot; &#38; more", "failed"],
    ["[It] [sig-cli] Kubectl", "skipped"],
    ["[It] [sig-cli] Kubectl wait", "timedout"],
    ["[SynchronizedBeforeSuite]", "passed"],
    ["[ReportAfterSuite] summary", "panicked"],
  ].map(([name, status]) =>
    `<testcase name="${name}" classname="a" status="${status}" time="1"><system-err>x</system-err></testcase>`
  );
  assert.deepEqual(countTests(`<testsuite>${cases.join("\n")}</testsuite>`), {
    passed: 1,
    skipped: 1,
    failed: [
      '[sig-apps] Job "a>b" & more',
      "[sig-cli] Kubectl wait",
      "[ReportAfterSuite] summary",
    ],
  });
});
