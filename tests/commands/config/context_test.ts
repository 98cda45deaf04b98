import assert from "node:assert/strict";
import {
  modeOf,
  namesIn,
  outputOf,
  silence,
  testWith,
  twoContexts,
} from "./_file.ts";

testWith(
  twoContexts,
  "config context sets the current one and keeps all else",
  async ({ osctl, text, path, dir }) => {
    assert.deepEqual(outputOf(await osctl("config context a")), silence);
    assert.equal(
      await text(),
      twoContexts.replace("context: b", "context: a"),
    );
    assert.equal(await modeOf(path), 0o600);
    assert.deepEqual(await namesIn(dir), ["config"]);
    assert.deepEqual(outputOf(await osctl("config use-context b")), silence);
    assert.match(await text(), /^context: b$/m);
  },
);

testWith(
  twoContexts,
  "config context refuses a name that is not there",
  async ({ osctl, text, path }) => {
    const { err, status } = await osctl("config context aa");
    assert.equal(
      err,
      `error: Cannot use context "aa": "${path}" has "a", "b"\nhint: Did you mean "a"?\n`,
    );
    assert.equal(status, 2);
    assert.equal(await text(), twoContexts);
  },
);

testWith(
  twoContexts,
  "config context refuses an empty name and another --context",
  async ({ osctl, text }) => {
    const empty = await osctl("config context --context a b");
    assert.match(
      empty.err,
      /^error: Flag --context and the argument of "config context" name different contexts: "a" and "b"\n/,
    );
    assert.equal(empty.status, 2);
    const missing = await osctl("config context");
    assert.match(missing.err, /^error: Argument <context> is missing/);
    assert.equal(missing.status, 2);
    assert.equal(await text(), twoContexts);
  },
);

testWith(
  undefined,
  "config context says that there is no context",
  async ({ osctl, path }) => {
    const { err, status } = await osctl("config context a");
    assert.match(err, new RegExp(`"${path}" has no contexts`));
    assert.equal(status, 2);
  },
);
