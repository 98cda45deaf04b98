import assert from "node:assert/strict";
import { ConfigError } from "../../../../errors.ts";
import { parseEvents } from "../../../../workflows/runbooks/store/parse_events.ts";
import { event, goldenStream } from "../report/_streams.ts";

const note = event("note", 0, { data: { message: "all is well" } });

Deno.test("parseEvents reads what was written, but for a line that was broken off", async () => {
  const events = await goldenStream("partial");
  const text = events.map((one) => `${JSON.stringify(one)}\n`).join("");
  assert.deepEqual(parseEvents(`${text}{"v":1,"se`, "e.jsonl"), events);
  assert.deepEqual(parseEvents("", "e.jsonl"), []);
});

Deno.test("parseEvents leaves out kinds it does not know", () => {
  const later = JSON.stringify({ ...note, type: "step.dreamt" });
  const text = `${later}\n${JSON.stringify(note)}\n`;
  assert.deepEqual(parseEvents(text, "e.jsonl"), [note]);
});

const wrong: Readonly<Record<string, string>> = {
  "no JSON": "hello",
  "no object": "null",
  "another format": JSON.stringify({ ...note, v: 2 }),
  "no kind": JSON.stringify({ ...note, type: 1 }),
  "no run": JSON.stringify({ ...note, run: 1 }),
  "no time": JSON.stringify({ ...note, ts: "noon" }),
  "no data": JSON.stringify({ ...note, data: null }),
  "a path that is not text": JSON.stringify({ ...note, path: 1 }),
  "a node that is not text": JSON.stringify({ ...note, node: {} }),
};

for (const [name, line] of Object.entries(wrong)) {
  Deno.test(`parseEvents refuses ${name}, and names the line`, () => {
    assert.throws(
      () => parseEvents(`${JSON.stringify(note)}\n${line}\n`, "e.jsonl"),
      (error) =>
        error instanceof ConfigError &&
        error.message === `Cannot read "e.jsonl": line 2 is not an event`,
    );
  });
}
