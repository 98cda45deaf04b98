import assert from "node:assert/strict";
import { silence, testWith, toOutput, twoContexts } from "./_file.ts";

testWith(
  twoContexts,
  "config node replaces those of the context that --context names",
  async ({ osctl, text }) => {
    const line = "config node 10.0.0.7 @workers,10.0.0.8 --context a";
    assert.deepEqual(toOutput(await osctl(line)), silence);
    assert.match(
      await text(),
      / a:\n {8}endpoints:\n {12}- 10.0.0.1\n {8}nodes:\n {12}- 10.0.0.7\n {12}- '?@workers'?\n {12}- 10.0.0.8\n/,
    );
  },
);
