import assert from "node:assert/strict";
import { isoTime } from "../../../transport/node/timestamp.ts";

Deno.test("isoTime writes whole seconds without a fraction", () => {
  assert.equal(
    isoTime({ seconds: 1_767_323_045n, nanos: 0 }),
    "2026-01-02T03:04:05Z",
  );
});

Deno.test("isoTime keeps nanoseconds and cuts zeros at the end", () => {
  const seconds = 1_767_323_045n;
  assert.equal(
    isoTime({ seconds, nanos: 1 }),
    "2026-01-02T03:04:05.000000001Z",
  );
  assert.equal(
    isoTime({ seconds, nanos: 250_000_000 }),
    "2026-01-02T03:04:05.25Z",
  );
});

Deno.test("isoTime covers the years 1 to 9999", () => {
  assert.equal(
    isoTime({ seconds: -62_135_596_800n, nanos: 0 }),
    "0001-01-01T00:00:00Z",
  );
  assert.equal(
    isoTime({ seconds: 253_402_300_799n, nanos: 0 }),
    "9999-12-31T23:59:59Z",
  );
});

Deno.test("isoTime is empty for no time and for one that is none", () => {
  assert.equal(isoTime(undefined), "");
  assert.equal(isoTime({ seconds: 2n ** 62n, nanos: 0 }), "");
  assert.equal(isoTime({ seconds: -(2n ** 62n), nanos: 0 }), "");
});

Deno.test("isoTime omits a fraction that is none", () => {
  assert.equal(isoTime({ seconds: 0n, nanos: -5 }), "1970-01-01T00:00:00Z");
  assert.equal(
    isoTime({ seconds: 0n, nanos: 2_000_000_000 }),
    "1970-01-01T00:00:00Z",
  );
});
