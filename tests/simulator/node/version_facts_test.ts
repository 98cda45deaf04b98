import assert from "node:assert/strict";
import {
  callVersions,
  includes,
  minorReleases,
  parseRange,
  withoutFields,
} from "../../../simulator/node/version_facts.ts";
import { allRoutes } from "../../../simulator/services/mod.ts";
import { kubernetesRange } from "../../../workflows/upgrade/kubernetes_range.ts";

Deno.test("ranges of versions include their ends", () => {
  const minors = [8, 9, 10, 11, 12];
  const included = (text: string) =>
    minors.filter((minor) => includes(parseRange(text), minor));
  assert.deepEqual(
    ["", "10-", "-10", "9-11", "9-9"].map(included),
    [minors, [10, 11, 12], [8, 9, 10], [9, 10, 11], [9]],
  );
  assert.equal(includes(undefined, 8), true);
});

Deno.test("every call with versions is one that nodes have", () => {
  const paths = allRoutes.map(({ path }) => path.slice(1));
  const unknown = Object.keys(callVersions).filter((call) =>
    !paths.some((path) => path === call || path.startsWith(`${call}/`))
  );
  assert.deepEqual(unknown, []);
});

Deno.test("supported versions of Kubernetes are those the product knows", () => {
  for (const { tag, kubernetesRange: own } of Object.values(minorReleases)) {
    const { oldest, newest } = kubernetesRange(tag)!;
    assert.deepEqual(own, [oldest, newest], tag);
  }
});

Deno.test("fields of other versions are left out, through lists; what has none stays the same", () => {
  const message = { messages: [{ id: "a", uid: "b", deep: { x: 1, y: 2 } }] };
  assert.deepEqual(
    withoutFields(message, {
      "messages.uid": [9],
      "messages.deep.x": [0, 7],
      "messages.id": [8],
      "nothing.here": [9],
    }, 8),
    { messages: [{ id: "a", deep: { y: 2 } }] },
  );
  assert.equal(withoutFields(message, { "messages.uid": [8] }, 8), message);
  assert.equal(withoutFields(message, { "messages.other": [9] }, 8), message);
  assert.equal(withoutFields("text", { a: [9] }, 8), "text");
});
