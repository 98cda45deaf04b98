/** Journals of runs of any length. */

import {
  encodeRecord,
  type NewRecord,
  noChecksum,
} from "../workflows/runbooks/journal/record.ts";

/** Steps a node walks through. */
const steps = [
  "checks",
  "cordon",
  "drain",
  "install",
  "restart",
  "ready",
  "uncordon",
  "verify",
];

/** Records that are written at once. */
const atOnce = 10_000;

/**
 * Writes the journal of a run that restarts nodes, one record as long as the engine writes them.
 *
 * @param path The file.
 * @param count Records.
 * @returns Its size in bytes.
 */
export async function writeJournalFile(
  path: string,
  count: number,
): Promise<number> {
  using file = await Deno.create(path);
  const encoder = new TextEncoder();
  const startedAt = Date.UTC(2026, 10, 20);
  let h = noChecksum;
  let seq = 0;
  let lines: string[] = [];
  let size = 0;
  for (const record of makeRecords(count)) {
    const ts = new Date(startedAt + 20 * seq).toISOString();
    const encoded = encodeRecord({ seq: ++seq, ts, ...record, previous: h });
    h = encoded.checksum;
    lines.push(`${encoded.line}\n`);
    if (lines.length < atOnce && seq < count) continue;
    const bytes = encoder.encode(lines.join(""));
    file.writeSync(bytes);
    size += bytes.length;
    lines = [];
  }
  return size;
}

function* makeRecords(count: number): Generator<NewRecord> {
  yield { type: "run.start", data: { groups: {}, members: [] } };
  let left = count - 1;
  for (let node = 1; left > 0; node++) {
    const records = nodeRecords(`worker-${node}`).slice(0, left);
    left -= records.length;
    yield* records;
  }
}

function nodeRecords(node: string): readonly NewRecord[] {
  const entry = 1;
  const key = { bootId: "9f3c1d5e-2c1b-4d9a-8f1e-0a1b2c3d4e5f" };
  const input = { image: "registry.example/installer:v1.13.4" };
  const outputs = { version: "v1.13.4", ...key };
  return [
    { type: "enter", path: "workers", node, entry },
    ...steps.flatMap((step): readonly NewRecord[] => {
      const at = { path: `workers/${step}`, node, entry };
      const module = `node.${step}`;
      const result = { state: "ok", module, outputs, tookMs: 1234 } as const;
      return [
        { type: "when", ...at, data: { value: true } },
        {
          type: "intent",
          ...at,
          attempt: 1,
          data: { operation: step, key, input },
        },
        { type: "ack", ...at, attempt: 1 },
        { type: "result", ...at, data: result },
      ];
    }),
    {
      type: "node",
      path: "workers",
      node,
      entry,
      data: { state: "done", tookMs: 91234 },
    },
  ];
}
