import assert from "node:assert/strict";
import {
  addedComments,
  toComments,
} from "../../../workflows/modules/configuration_comments.ts";

Deno.test("toComments and addedComments name the comments to add", () => {
  const [yes, no] = [true, false];
  const named = [
    toComments({ docs: no, examples: no }),
    toComments({ docs: yes, examples: no }),
    toComments({ docs: no, examples: yes }),
    toComments({ docs: yes, examples: yes }),
  ];
  assert.deepEqual(named, ["keep", "docs", "examples", "both"]);
  assert.equal(addedComments({}), "keep");
  assert.equal(addedComments({ comments: "both" }), "both");
  assert.throws(() => addedComments({ comments: "all" }), {
    message:
      'Cannot use "all" as comments: it must be one of keep, docs, examples, both',
  });
});
