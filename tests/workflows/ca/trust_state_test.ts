import assert from "node:assert/strict";
import { RefusedError } from "../../../errors.ts";
import type { TrustList } from "../../../workflows/ca/trust_list.ts";
import {
  findTrustState,
  knownState,
} from "../../../workflows/ca/trust_state.ts";

const exchange = { old: "o", new: "n", kept: ["k"] };

function list(issuing: string, accepted: string, worker = false): TrustList {
  const one = (fingerprint: string) => ({ fingerprint, pem: "" });
  return {
    controlPlane: !worker,
    issuing: issuing === "" ? undefined : one(issuing),
    accepted: [...accepted].map(one),
  };
}

Deno.test("four states follow from who issues and who is accepted", () => {
  const cases = [
    ["o", "", "old"],
    ["o", "k", "old"],
    ["o", "n", "accepting"],
    ["o", "nk", "accepting"],
    ["n", "o", "issuing"],
    ["n", "ko", "issuing"],
    ["n", "", "new"],
    ["n", "k", "new"],
    ["o", "x", undefined],
    ["x", "n", undefined],
    ["", "on", undefined],
  ] as const;
  for (const [issuing, accepted, state] of cases) {
    const found = findTrustState(list(issuing, accepted), exchange);
    assert.equal(found, state, `${issuing} ${accepted}`);
  }
});

Deno.test("workers that name no issuing CA are known by what they accept", () => {
  const cases = [
    ["o", "old"],
    ["on", "accepting"],
    ["nk", "new"],
    ["k", undefined],
  ] as const;
  for (const [accepted, state] of cases) {
    assert.equal(findTrustState(list("", accepted, true), exchange), state);
  }
});

Deno.test("a node in no known state is refused, and the known ones are shown", () => {
  assert.equal(knownState("a", list("o", "n"), exchange), "accepting");
  for (const [issuing, who] of [["x", "x issues"], ["", "no CA issues"]]) {
    assert.throws(
      () => knownState("10.0.0.2", list(issuing!, "n"), exchange),
      (error) =>
        error instanceof RefusedError && error.message.includes(who!) &&
        /^10\.0\.0\.2 is in none of the four states old .*accepting .*issuing .*new /
          .test(error.message),
    );
  }
});
