import assert from "node:assert/strict";
import { targetsOf } from "../../../commands/_gen_config/targets.ts";
import { UsageError } from "../../../errors.ts";

const all = ["controlplane", "worker", "osconfig"] as const;
const none = { output: undefined, outputDir: undefined };

function paths(
  given: Partial<Parameters<typeof targetsOf>[0]>,
): readonly (string | undefined)[] {
  const targets = targetsOf({ ...none, outputTypes: all, ...given }, "/work");
  return targets.map(({ path }) => path);
}

Deno.test("files go to the working directory", () => {
  const here = [
    "/work/controlplane.yaml",
    "/work/worker.yaml",
    "/work/osconfig",
  ];
  assert.deepEqual(paths({}), here);
  assert.deepEqual(paths({ output: "", outputDir: "" }), here);
  assert.deepEqual(paths({ outputTypes: ["worker"] }), ["/work/worker.yaml"]);
});

Deno.test("several files go to the directory given", () => {
  assert.deepEqual(
    paths({ output: "d/", outputTypes: ["worker", "osconfig"] }),
    [
      "d/worker.yaml",
      "d/osconfig",
    ],
  );
  assert.deepEqual(
    paths({ output: "/", outputTypes: ["worker", "osconfig"] }),
    [
      "/worker.yaml",
      "/osconfig",
    ],
  );
});

Deno.test("one file goes to the path given, or to standard output", () => {
  assert.deepEqual(paths({ output: "w.yaml", outputTypes: ["worker"] }), [
    "w.yaml",
  ]);
  assert.deepEqual(paths({ output: "-", outputTypes: ["osconfig"] }), [
    undefined,
  ]);
});

Deno.test("--output-dir is a directory also for one file", () => {
  assert.deepEqual(paths({ outputDir: "d", outputTypes: ["worker"] }), [
    "d/worker.yaml",
  ]);
});

Deno.test("places that exclude each other are refused", () => {
  assert.throws(() => paths({ output: "a", outputDir: "b" }), UsageError);
  assert.throws(() => paths({ output: "-" }), UsageError);
});
