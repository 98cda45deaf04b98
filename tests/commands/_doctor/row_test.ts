import assert from "node:assert/strict";
import {
  type ConnectRow,
  findVerdict,
  passed,
} from "../../../commands/_doctor/row.ts";
import { ConnectError, OsctlError } from "../../../errors.ts";

Deno.test("passed makes the row of a stage that is well, or does not apply", () => {
  assert.deepEqual(passed("tcp", "connected"), {
    stage: "tcp",
    result: "ok",
    detail: "connected",
  });
  assert.deepEqual(passed("dns", "is an IP address", "skipped"), {
    stage: "dns",
    result: "skipped",
    detail: "is an IP address",
  });
});

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

Deno.test("findVerdict has nothing to say when nothing failed", () => {
  const warning: ConnectRow = {
    endpoint: "a:1",
    stage: "clock",
    result: "warning",
    detail: "late",
    next: "N",
  };
  assert.equal(findVerdict([well("a:1", "tcp"), warning], 1), undefined);
});

Deno.test("findVerdict names the one cause and the next step", () => {
  const error = findVerdict([well("a:1", "proxy"), refused], 1);
  assert.ok(error instanceof ConnectError);
  assert.equal(error.reason, "refused");
  assert.equal(
    error.message,
    'Endpoint "a:1" failed at stage tcp: the connection was refused',
  );
  assert.equal(error.hint, "Start it");
  assert.equal(error.status, 1);
});

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

Deno.test("findVerdict puts first what concerns all endpoints", () => {
  const shared: ConnectRow = {
    endpoint: "",
    stage: "client",
    result: "failed",
    detail: "Client certificate expired",
    cause: "client-expired",
    next: "Renew it",
  };
  const error = findVerdict([shared, refused], 1);
  assert.ok(error instanceof ConnectError);
  assert.equal(error.message, "Client certificate expired");
});

Deno.test("findVerdict has no cause for a call that failed", () => {
  const { cause: _, ...call } = refused;
  const error = findVerdict([call], 1);
  assert.ok(error instanceof OsctlError);
  assert.equal(error instanceof ConnectError, false);
  assert.equal(error.hint, "Start it");
});
