import assert from "node:assert/strict";
import { withEvidence } from "../../../commands/_kit/last_words.ts";
import type { Outcome } from "../../../workflows/operation.ts";
import type { NodeEvent } from "../../../workflows/operations/run.ts";
import { fakeNodes } from "../../_fake.ts";

async function told(
  outcome: Outcome,
  more: { readonly untouched?: true } = {},
): Promise<readonly string[]> {
  const bytes = new TextEncoder().encode("last line\n");
  const client = await fakeNodes({
    a: {
      async *dmesg() {
        yield await Promise.resolve({ bytes });
      },
      async *logs() {
        yield await Promise.resolve({ bytes });
      },
    },
  }).nodes.at("a");
  async function* events(): AsyncGenerator<NodeEvent> {
    yield { node: "a", progress: "waiting" };
    yield await Promise.resolve({
      node: "a",
      verdict: { outcome, reason: "seen" },
      ...more,
    });
  }
  const lines: string[] = [];
  for await (
    const event of withEvidence(events(), client, (line) => lines.push(line))
  ) {
    lines.push("progress" in event ? event.progress : event.verdict.outcome);
  }
  return lines;
}

Deno.test("a bad end comes with the last words of the node", async () => {
  for (const outcome of ["rolled-back", "never-rebooted"] as const) {
    assert.deepEqual(await told(outcome), [
      "waiting",
      "a: kernel: last line",
      "a: machined: last line",
      outcome,
    ]);
  }
});

Deno.test("a good end, and one that explains itself, come alone", async () => {
  for (const outcome of ["done", "refused", "failed"] as const) {
    assert.deepEqual(await told(outcome), ["waiting", outcome]);
  }
});

Deno.test("a node that was asked for nothing has no words for it", async () => {
  assert.deepEqual(await told("timed-out", { untouched: true }), [
    "waiting",
    "timed-out",
  ]);
});
