import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { sources } from "../../tools/sources.ts";

const tree = {
  "commands/_kit/view.ts": "view",
  "commands/dashboard.tsx": "dashboard",
  "commands/_index.ts": "generated",
  "transport/gen/machine.ts": "generated",
  "transport/proto/machine.proto": "proto",
  "terminal/": "",
  "workflows/": "",
  "provisioners/": "",
  "pki/": "",
  "config/": "",
  "lib/": "",
  "simulator/": "",
  "tools/launcher.sh": "shell",
  "tests/view_test.ts": "test",
  "bench/codec.ts": "bench",
  "mod.ts": "mod",
  "errors.ts": "errors",
  "interrupts.ts": "interrupts",
  "talos.ts": "dialect",
  "release.ts": "release",
  "other.ts": "elsewhere",
};

Deno.test("sources finds what people write, sorted, without what is generated", async () => {
  await withFolder(tree, async (folder) => {
    assert.deepEqual(await sources(new URL(`file://${folder}/`)), [
      { path: "commands/_kit/view.ts", text: "view" },
      { path: "commands/dashboard.tsx", text: "dashboard" },
      { path: "errors.ts", text: "errors" },
      { path: "interrupts.ts", text: "interrupts" },
      { path: "mod.ts", text: "mod" },
      { path: "release.ts", text: "release" },
      { path: "talos.ts", text: "dialect" },
    ]);
  });
});

Deno.test("sources reads further folders when told", async () => {
  await withFolder(tree, async (folder) => {
    const root = new URL(`file://${folder}/`);
    const paths = (await sources(root, ["tests"])).map(({ path }) => path);
    assert.deepEqual(paths, [
      "commands/_kit/view.ts",
      "commands/dashboard.tsx",
      "errors.ts",
      "interrupts.ts",
      "mod.ts",
      "release.ts",
      "talos.ts",
      "tests/view_test.ts",
    ]);
  });
});
