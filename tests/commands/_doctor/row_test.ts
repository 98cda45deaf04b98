import assert from "node:assert/strict";
import { type ConnectRow, findVerdict } from "../../../commands/_doctor/row.ts";
import { ConnectError } from "../../../errors.ts";

const well = (endpoint: string, stage: ConnectRow["stage"]): ConnectRow => ({
  endpoint,
  stage,
  result: "ok",
  detail: "fine",
});

const refused: ConnectRow = {
  endpoint: "a:1",
  stage: "tcp",
  result: "failed",
  detail: "the connection was refused",
  cause: "refused",
  next: "Start it",
};

const expired: ConnectRow = {
  endpoint: "b:1",
  stage: "validity",
  result: "failed",
  detail: "expired on 2026-01-01T00:00:00Z",
  cause: "server-expired",
  next: "Check the clock",
};

Deno.test("findVerdict takes the endpoint that got furthest", () => {
  const error = findVerdict([
    refused,
    well("b:1", "tcp"),
    well("b:1", "tls"),
    expired,
    { ...expired, stage: "name", cause: "wrong-name" },
    well("c:1", "tcp"),
  ], 3);
  assert.ok(error instanceof ConnectError);
  assert.equal(error.reason, "server-expired");
  assert.equal(
    error.message,
    '2 of 3 endpoints failed; endpoint "b:1" failed at stage validity: expired on 2026-01-01T00:00:00Z',
  );
});

Deno.test("findVerdict blames the node that no endpoint reaches, not the endpoints", () => {
  const failed = (endpoint: string, node: string): ConnectRow => ({
    endpoint,
    stage: "nodes",
    result: "failed",
    detail: `${node}: the certificate of the node has expired`,
    next: "Check the clocks",
  });
  const verdict = (...rows: readonly ConnectRow[]) => {
    const error = findVerdict(rows, 2);
    return [error?.message, error?.hint];
  };
  const hint = "Check the clocks";
  assert.deepEqual(
    verdict(well("a:1", "tls"), failed("a:1", "w-1"), failed("b:1", "w-1")),
    ["Node w-1: the certificate of the node has expired", hint],
  );
  assert.deepEqual(
    verdict(failed("a:1", "w-1"), failed("a:1", "w-2"), failed("b:1", "w-2")),
    [
      "Node w-1: the certificate of the node has expired; 1 other node failed as well",
      hint,
    ],
  );
  // Another endpoint reaches it.
  assert.deepEqual(verdict(failed("a:1", "w-1"), well("b:1", "nodes")), [
    '1 of 2 endpoints failed; endpoint "a:1" failed at stage nodes: w-1: the certificate of the node has expired',
    hint,
  ]);
});
