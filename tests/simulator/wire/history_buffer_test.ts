import assert from "node:assert/strict";
import {
  createHistory,
  overrun,
  readHistory,
} from "../../../simulator/wire/history_buffer.ts";

function filled(count: number, capacity: number) {
  const series = createHistory<number>(capacity);
  for (let item = 0; item < count; item++) series.append(item);
  return series;
}

const { signal } = new AbortController();

Deno.test("a series keeps its last items and their positions", () => {
  const series = filled(25, 10);
  assert.deepEqual(
    [series.first(), series.end(), series.at(15), series.at(24)],
    [15, 25, 15, 24],
  );
});

Deno.test("reading ends at the end, and continues from there when it follows", async () => {
  const series = filled(3, 10);
  assert.deepEqual(
    await Array.fromAsync(readHistory(series, 1, { follow: false, signal })),
    [1, 2],
  );
  const seen = [];
  for await (const item of readHistory(series, 2, { follow: true, signal })) {
    seen.push(item);
    if (seen.length === 3) break;
    series.append(seen.length + 10);
  }
  assert.deepEqual(seen, [2, 11, 12]);
});

Deno.test("a reader that falls behind is told so", async () => {
  const series = filled(1, 5);
  const seen = [];
  for await (const item of readHistory(series, 0, { follow: true, signal })) {
    seen.push(item);
    for (let more = 0; more < 30; more++) series.append(more);
  }
  assert.deepEqual(seen, [0, overrun]);
});

Deno.test("following ends at once, or when everything was read", async () => {
  const series = filled(2, 5);
  const stop = new AbortController();
  stop.abort();
  assert.deepEqual(
    await Array.fromAsync(
      readHistory(series, 0, { follow: true, signal: stop.signal }),
    ),
    [],
  );
  assert.deepEqual(
    await Array.fromAsync(
      readHistory(series, 0, { follow: true, signal, until: stop.signal }),
    ),
    [0, 1],
  );
  const later = new AbortController();
  const reading = Array.fromAsync(
    readHistory(series, 0, { follow: true, signal, until: later.signal }),
  );
  await Promise.resolve();
  later.abort();
  assert.deepEqual(await reading, [0, 1]);
});
