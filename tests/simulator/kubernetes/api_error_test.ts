import assert from "node:assert/strict";
import {
  alreadyExists,
  apiError,
  conflict,
  notFound,
} from "../../../simulator/kubernetes/api_error.ts";
import { kinds } from "../../../simulator/state/kubernetes_objects.ts";

Deno.test("errors are objects of kind Status that name what they are about", () => {
  assert.deepEqual(notFound(kinds.leases, "x").body, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'leases.coordination.k8s.io "x" not found',
    reason: "NotFound",
    details: { name: "x", group: "coordination.k8s.io", kind: "leases" },
    code: 404,
  });
});

Deno.test("errors have the codes and words that API servers use", () => {
  const all = [
    alreadyExists(kinds.pods, "x"),
    conflict(kinds.pods, "x", "no"),
    apiError("unauthorized"),
  ];
  assert.deepEqual(all.map(({ code, message }) => [code, message]), [
    [409, 'pods "x" already exists'],
    [409, 'Operation cannot be fulfilled on pods "x": no'],
    [401, "Unauthorized"],
  ]);
});
