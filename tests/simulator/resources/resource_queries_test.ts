import assert from "node:assert/strict";
import { matcher } from "../../../simulator/resources/resource_queries.ts";
import { LabelTerm_Operation as Op } from "../../../transport/gen/cosi_resource.ts";

const base = {
  namespace: "n",
  type: "t",
  spec: {},
  version: 1,
  created: 0,
  updated: 0,
};

/** Ids of a few resources that match a term. */
function matching(
  op: Op,
  value: readonly string[] = [],
  invert = false,
): string {
  const matches = matcher({
    labelQuery: [{ terms: [{ key: "size", op, value, invert }] }],
  });
  const labelled = [{ id: "none" }, { id: "5", labels: { size: "5" } }, {
    id: "2k",
    labels: { size: "2k" },
  }];
  return labelled.filter((one) => matches({ ...base, ...one })).map(({ id }) =>
    id
  ).join();
}

Deno.test("label terms compare as nodes do", () => {
  assert.equal(matching(Op.EXISTS), "5,2k");
  assert.equal(matching(Op.EXISTS, [], true), "none");
  assert.equal(matching(Op.NOT_EXISTS), "none");
  assert.equal(matching(Op.EQUAL, ["5"]), "5");
  assert.equal(matching(Op.EQUAL, ["5"], true), "none,2k");
  assert.equal(matching(Op.IN, ["2k", "9"]), "2k");
  assert.equal(matching(Op.LT, ["5"]), "2k");
  assert.equal(matching(Op.LTE, ["5"]), "5,2k");
  assert.equal(matching(Op.LT_NUMERIC, ["1Ki"]), "5");
  assert.equal(matching(Op.LTE_NUMERIC, ["2000"]), "5,2k");
  assert.equal(matching(Op.LT_NUMERIC, ["1"], true), "5,2k");
});

Deno.test("an id query that is no expression is refused", () => {
  assert.throws(() => matcher({ idQuery: { regexp: "(" } }), {
    code: "INVALID_ARGUMENT",
  });
  assert.equal(matcher()({ ...base, id: "any" }), true);
});
