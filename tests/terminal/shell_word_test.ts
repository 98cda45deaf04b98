import assert from "node:assert/strict";
import { shellWord } from "../../terminal/shell_word.ts";

Deno.test("shellWord quotes what a shell would not read as one word", () => {
  assert.equal(shellWord("@workers"), "@workers");
  assert.equal(shellWord("a,b=c:/d"), "a,b=c:/d");
  assert.equal(shellWord("two words"), "'two words'");
  assert.equal(shellWord(""), "''");
  assert.equal(shellWord("it's $HOME"), String.raw`'it'\''s $HOME'`);
});
