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
