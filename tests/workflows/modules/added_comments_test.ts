import assert from "node:assert/strict";
import {
  addedComments,
  commentsOf,
} from "../../../workflows/modules/added_comments.ts";

Deno.test("commentsOf and addedComments name the comments to add", () => {
  const [yes, no] = [true, false];
  const named = [
    commentsOf({ docs: no, examples: no }),
    commentsOf({ docs: yes, examples: no }),
    commentsOf({ docs: no, examples: yes }),
    commentsOf({ docs: yes, examples: yes }),
  ];
  assert.deepEqual(named, ["keep", "docs", "examples", "both"]);
  assert.equal(addedComments({}), "keep");
  assert.equal(addedComments({ comments: "both" }), "both");
  assert.throws(() => addedComments({ comments: "all" }), {
    message:
      'Cannot use "all" as comments: it must be one of keep, docs, examples, both',
  });
});
