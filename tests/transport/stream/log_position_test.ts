import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  followLines,
  positionInLog,
} from "../../../transport/stream/follow_lines.ts";

function lines(first: number, last: number): string[] {
  const count = last - first + 1;
  return Array.from({ length: count }, (_, at) => `line ${first + at}`);
}

Deno.test("positionInLog continues behind what was passed", () => {
  const place = positionInLog();
  place.pass(["a", "b"]);
  assert.deepEqual(place.after(["a", "b", "c"]), ["c"]);
  place.pass(["d"]);
  assert.deepEqual(place.after(["b", "c", "d", "e"]), ["e"]);
});

Deno.test("positionInLog remembers enough of a long log", () => {
  const place = positionInLog();
  for (let first = 1; first < 12_345; first += 5) {
    place.pass(lines(first, first + 4));
  }
  assert.deepEqual(place.after(lines(11_500, 12_346)), ["line 12346"]);
  place.pass(lines(12_347, 99_999));
  assert.deepEqual(place.after(lines(99_100, 100_000)), ["line 100000"]);
});

Deno.test("positionInLog counts, so that equal lines are not mixed up", () => {
  const place = positionInLog();
  place.pass(Array(5_000).fill("tick"));
  assert.equal(place.after(Array(5_003).fill("tick")).length, 3);
  assert.equal(place.after(Array(5_004).fill("tick")).length, 1);
});

Deno.test("positionInLog counts from the end only when it was given all", () => {
  const known = positionInLog();
  known.end(Array(10).fill("tick"), 200);
  assert.equal(known.after(Array(13).fill("tick")).length, 3);
  const unknown = positionInLog();
  unknown.end(Array(200).fill("tick"), 200);
  assert.equal(unknown.after(Array(500).fill("tick")).length, 0);
});

Deno.test("positionInLog starts over with a new log", () => {
  const place = positionInLog();
  place.pass(["a", "b"]);
  place.restart();
  assert.deepEqual(place.after(["a", "b", "c"]), ["a", "b", "c"]);
});

Deno.test("positionInLog tells once what a break did", () => {
  const place = positionInLog();
  place.pass(["a"]);
  place.cut("b");
  place.after(["x"]);
  assert.deepEqual(place.interrupt("connection lost"), {
    missing: true,
    cut: "b",
  });
  assert.deepEqual(place.interrupt("connection lost"), {
    missing: false,
    cut: undefined,
  });
});

Deno.test("positionInLog forgets a cut line that comes again", () => {
  const place = positionInLog();
  place.pass(["a"]);
  place.cut("b");
  place.after(["a"]);
  assert.deepEqual(place.interrupt("node rebooted"), {
    missing: true,
    cut: undefined,
  });
});

/** Bytes that are in use when nothing is left to collect. */
function countHeldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  return Deno.memoryUsage().heapUsed;
}

Deno.test("following a line without an end takes no memory for what has passed", async () => {
  const pieces = 60;
  async function* read() {
    const chunk = new Uint8Array(64 * 1024).fill(0x78);
    for (let n = 0; n <= 16 * pieces; n++) yield await Promise.resolve(chunk);
  }
  const before = countHeldBytes();
  const lines = followLines({
    read,
    bootId: () => Promise.resolve("a"),
    signal: new AbortController().signal,
    checkMs: 0,
  });
  let seen = 0;
  for await (const _ of lines) {
    if (++seen < pieces) continue;
    const held = countHeldBytes() - before;
    assert.ok(held < 20_000_000, `${held}`);
    break;
  }
  assert.equal(seen, pieces);
});
