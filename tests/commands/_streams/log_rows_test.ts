import assert from "node:assert/strict";
import { logRows, makeLogView } from "../../../commands/_streams/log_rows.ts";
import { CancelledError } from "../../../errors.ts";
import { fakeNodes } from "../../_fake.ts";
import { boots, texts } from "../_broken_streams.ts";

const context = { note() {}, environment: { now: () => new Date(0) } as never };

function bytes(...all: string[]) {
  return (async function* () {
    for await (const { bytes } of texts(...all)) yield bytes;
  })();
}

Deno.test("logRows follows until the user interrupts", async () => {
  const user = new AbortController();
  const { nodes } = fakeNodes({ a: { read: boots("1") } }, user.signal);
  const rows = logRows({ ...context, nodes }, {
    follow: true,
    output: { kind: "table" },
    async *read(_, { signal }) {
      yield* bytes("one\n");
      await new Promise<void>((resolve) =>
        signal?.addEventListener("abort", () => resolve())
      );
    },
  });
  const seen: unknown[] = [];
  for await (const row of rows) {
    seen.push(row);
    user.abort(new CancelledError());
  }
  assert.deepEqual(seen, [{ node: "a", line: "one" }]);
});

Deno.test("makeLogView shows lines as they come", () => {
  const logView = makeLogView({ prefix: undefined });
  assert.equal(logView.kind, "text");
  if (logView.kind !== "text") return;
  assert.equal(logView.gather, false);
  assert.equal(logView.render({ node: "a", line: "x" }, true), "a: x\n");
  const gap = { gap: "connection lost", since: "", until: "" } as const;
  assert.equal(
    logView.render({ node: "a", ...gap }, false),
    "--- a: connection lost ---\n",
  );
});
