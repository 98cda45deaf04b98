import assert from "node:assert/strict";
import { waitDisplay } from "../../../commands/_kit/wait_display.ts";

Deno.test("waitDisplay draws what is waited for, how long and what is missing, and takes it away", async () => {
  const drawn: (readonly string[])[] = [];
  const notes: string[] = [];
  let now = 0;
  let next = () => {};
  const live = {
    size: () => ({ columns: 40, rows: 10 }),
    draw(lines: readonly string[]) {
      drawn.push(lines);
      return Promise.resolve();
    },
    paint: (text: string) => text,
    color() {},
    leave: () => Promise.resolve(),
    alone: () => Promise.reject(new Error("no prompt is expected")),
  };
  const turn = async () => {
    next();
    await new Promise((resolve) => setTimeout(resolve));
  };
  const { report, end } = waitDisplay(
    {
      note: (text) => void notes.push(text),
      environment: { live, now: () => new Date(now) },
    },
    (_, signal) =>
      new Promise((resolve) => {
        next = resolve;
        signal.addEventListener("abort", () => resolve());
      }),
  );
  await turn();
  report("etcd to be healthy", "...");
  now = 250;
  await turn();
  report("etcd to be healthy", "c1: etcd is\x1b[2J waiting");
  now = 3_000;
  await turn();
  report("apid to be ready", "...");
  report("", "discovered nodes");
  await turn();
  await end();
  assert.deepEqual(drawn.filter(({ length }) => length > 0), [
    ["◳ waiting for etcd to be healthy: ..."],
    ["◰ waiting for etcd to be healthy (3s): …"],
    ["◰ waiting for apid to be ready: ..."],
  ]);
  assert.deepEqual(drawn.at(-1), []);
  assert.deepEqual(notes, ["discovered nodes"]);
});
