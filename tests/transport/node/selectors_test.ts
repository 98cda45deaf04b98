import assert from "node:assert/strict";
import { UsageError } from "../../../errors.ts";
import {
  checkSelector,
  isSelector,
  matchSelector,
} from "../../../transport/node/open_nodes.ts";

const members = [
  { address: "10.0.0.1", hostname: "a", controlPlane: true },
  { address: "10.0.0.2", hostname: "b", controlPlane: false },
  { address: "10.0.0.3", hostname: "c", controlPlane: true },
];

Deno.test("isSelector tells selectors from nodes", () => {
  assert.equal(isSelector("@all"), true);
  assert.equal(isSelector("10.0.0.1"), false);
});

const selections = [
  ["@all", ["10.0.0.1", "10.0.0.2", "10.0.0.3"]],
  ["@controlplane", ["10.0.0.1", "10.0.0.3"]],
  ["@workers", ["10.0.0.2"]],
] as const;

for (const [selector, addresses] of selections) {
  Deno.test(`selected gives the addresses of ${selector}`, () => {
    assert.deepEqual(matchSelector(selector, members), addresses);
  });
}

Deno.test("selected refuses a selector that matches no member", () => {
  assert.throws(() => matchSelector("@workers", members.slice(0, 1)), {
    name: "UsageError",
    message: 'No member of the cluster matches "@workers"',
  });
});

for (const selector of ["@worker", "@", "@toString"]) {
  Deno.test(`checkSelector refuses "${selector}" and names the known ones`, () => {
    assert.throws(() => checkSelector(selector), (error) => {
      assert.ok(error instanceof UsageError);
      assert.equal(error.message, `Unknown node selector "${selector}"`);
      assert.equal(
        error.hint,
        "Known selectors: @all, @controlplane, @workers",
      );
      return true;
    });
  });
}
