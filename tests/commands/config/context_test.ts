import assert from "node:assert/strict";
import {
  namesIn,
  readMode,
  silence,
  testWith,
  toOutput,
  twoContexts,
} from "./_file.ts";

testWith(
  twoContexts,
  "config context sets the current one and keeps all else",
  async ({ osctl, text, path, dir }) => {
    assert.deepEqual(toOutput(await osctl("config context a")), silence);
    assert.equal(
      await text(),
      twoContexts.replace("context: b", "context: a"),
    );
    assert.equal(await readMode(path), 0o600);
    assert.deepEqual(await namesIn(dir), ["config"]);
    assert.deepEqual(toOutput(await osctl("config use-context b")), silence);
    assert.match(await text(), /^context: b$/m);
  },
);
