import assert from "node:assert/strict";
import { findReferenced } from "../../../workflows/kubernetes/manifest_objects.ts";

Deno.test("a key of the inventory that is none names no object, and nothing is asked", async () => {
  const request = () => assert.fail("nothing is asked");
  const { signal } = new AbortController();
  for (const key of ["", "kube-system", "kube-system_coredns", "a_b_"]) {
    assert.equal(await findReferenced({ request }, key, signal), undefined);
  }
});
