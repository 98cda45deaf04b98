import assert from "node:assert/strict";
import { createResources } from "../../../simulator/resources/resources.ts";

const key = { namespace: "n", type: "T.x", id: "i" };

Deno.test("a resource counts its changes and keeps when it was made", () => {
  let now = 1;
  const resources = createResources({
    now: () => now,
    sleep: () => Promise.resolve(),
  });
  const spec = { a: 1 };
  resources.put(key, { spec });
  now = 2;
  resources.put(key, { spec });
  assert.equal(resources.get(key)?.version, 1);
  resources.put(key, { spec: { a: 2 }, owner: "me" });
  assert.deepEqual(resources.get(key), {
    ...key,
    spec: { a: 2 },
    owner: "me",
    version: 2,
    created: 1,
    updated: 2,
  });
  resources.remove(key);
  resources.remove(key);
  assert.equal(resources.get(key), undefined);
  assert.deepEqual(
    [0, 1, 2].map((position) => resources.changes.at(position).kind),
    ["created", "updated", "destroyed"],
  );
  assert.equal(resources.changes.end(), 3);
});

Deno.test("a list is of one kind, sorted by id", () => {
  const resources = createResources({
    now: () => 0,
    sleep: () => Promise.resolve(),
  });
  for (const id of ["b", "c", "a"]) resources.put({ ...key, id }, { spec: {} });
  resources.put({ ...key, namespace: "other" }, { spec: {} });
  assert.deepEqual(resources.list(key).map(({ id }) => id), ["a", "b", "c"]);
  assert.deepEqual(resources.list({ namespace: "none", type: "T.x" }), []);
});
