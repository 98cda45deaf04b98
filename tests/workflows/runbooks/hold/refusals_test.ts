import assert from "node:assert/strict";
import {
  heldBy,
  late,
  outdated,
  taken,
} from "../../../../workflows/runbooks/hold/refusals.ts";

const holder = "a @ eve@desk # 7 noon secret";

Deno.test("a refusal names who has the cluster, and never the word only it knows", () => {
  const texts = [
    heldBy({ holder }, "a"),
    heldBy({ holder }, "b"),
    taken({ holder }, "a"),
    outdated({ claim: "a", claimedBy: "eve@desk" }, "a"),
  ].map(({ message, status }) => `${status} ${message}`);
  assert.deepEqual(texts, [
    '8 Run "a" goes on in another process: a @ eve@desk, process 7 since noon',
    "8 Another run holds the cluster: a @ eve@desk, process 7 since noon",
    '8 Run "a" has lost its hold on the cluster: a @ eve@desk, process 7 since noon has it',
    '5 This is an old copy of run "a": it was continued by eve@desk since this journal was written',
  ]);
});

Deno.test("a hold that ran out says why", () => {
  assert.equal(
    late("Nobody answers").message,
    "The hold on the cluster could not be renewed in time: Nobody answers",
  );
});
