import assert from "node:assert/strict";
import { outputOf, silence, testWith, twoContexts } from "./_file.ts";

testWith(
  twoContexts,
  "config node replaces those of the context that --context names",
  async ({ osctl, text }) => {
    const line = "config node 10.0.0.7 @workers,10.0.0.8 --context a";
    assert.deepEqual(outputOf(await osctl(line)), silence);
    assert.match(
      await text(),
      / a:\n {8}endpoints:\n {12}- 10.0.0.1\n {8}nodes:\n {12}- 10.0.0.7\n {12}- '?@workers'?\n {12}- 10.0.0.8\n/,
    );
  },
);

testWith(
  twoContexts,
  "config node without nodes clears those of the current context",
  async ({ osctl, text }) => {
    assert.deepEqual(outputOf(await osctl("config nodes")), silence);
    assert.equal(
      await text(),
      twoContexts.replace("        nodes:\n            - 10.1.0.5\n", ""),
    );
  },
);

testWith(
  twoContexts,
  "config node refuses an unknown context and an unknown flag",
  async ({ osctl, text }) => {
    const context = await osctl("config node x --context c");
    assert.match(context.err, /^error: Cannot use context "c": /);
    assert.equal(context.status, 2);
    const flag = await osctl("config node x --clear");
    assert.match(flag.err, /^error: Unknown flag --clear\n/);
    assert.equal(flag.status, 2);
    assert.equal(await text(), twoContexts);
  },
);
