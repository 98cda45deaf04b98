import assert from "node:assert/strict";
import { membersNamed } from "../../../workflows/etcd/members_named.ts";

const members = [
  { id: "00000000000000aa", name: "cp-1", learner: false },
  { id: "00000000000000bb", name: "cp-2", learner: false },
  { id: "00000000000000cc", name: "cp-2", learner: true },
  { id: "00000000000000dd", name: "bb", learner: false },
];

Deno.test("members are found by their id in any spelling, before any name", () => {
  const found = (text: string) =>
    membersNamed(text, members).map(({ id }) => id.slice(-2));
  assert.deepEqual(found("00000000000000aa"), ["aa"]);
  assert.deepEqual(found("0xAA"), ["aa"]);
  assert.deepEqual(found("bb"), ["bb"]);
  assert.deepEqual(found("cp-1"), ["aa"]);
  assert.deepEqual(found("cp-2"), ["bb", "cc"]);
  assert.deepEqual(found("cp-3"), []);
});
