import assert from "node:assert/strict";
import { CancelledError } from "../../errors.ts";
import type { FaultName } from "../../simulator/state/faults.ts";
import { type Wire, withWire } from "../_wire.ts";

interface Row {
  readonly line?: string;
  readonly gap?: string;
}

interface Trial {
  /** `dmesg` or `logs …`. */
  readonly command: string;
  /** Done before the log is followed. */
  readonly before?: (wire: Wire, node: string) => Promise<void>;
  /** Done when the first line was seen. */
  readonly during?: (wire: Wire, node: string) => Promise<void>;
}

/**
 * Follows the log of a worker until it has continued after a gap.
 *
 * @returns Rows that were shown, and all lines the node has afterwards.
 */
async function follow(trial: Trial): Promise<{
  readonly rows: readonly Row[];
  readonly after: readonly string[];
}> {
  const { command, before, during } = trial;
  const parseRows = (out: string): Row[] =>
    out.trimEnd().split("\n").map((row) => JSON.parse(row));
  let result: Awaited<ReturnType<typeof follow>> = { rows: [], after: [] };
  await withWire({ workers: 1 }, async (wire) => {
    const [, node = ""] = wire.names;
    await before?.(wire, node);
    const stop = new AbortController();
    let done: Promise<void> | undefined;
    const line = `${command} --nodes ${node} --output jsonl`;
    const ran = await wire.osctl(`${line} --follow`, {
      signal: stop.signal,
      onWrite(out) {
        done ??= during?.(wire, node) ?? Promise.resolve();
        const gap = out.lastIndexOf('"gap"');
        if (gap < 0 || out.indexOf('"line"', gap) < 0) return;
        done.then(() => stop.abort(new CancelledError()));
      },
    });
    assert.equal(ran.status, 130, ran.err);
    const { out } = await wire.osctl(line);
    result = { rows: parseRows(ran.out), after: rowLines(parseRows(out)) };
  });
  return result;
}

/** Lines without their time, which nodes compute anew for each reading of the kernel log. */
function rowLines(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ line }) =>
    line === undefined ? [] : [line.replace(/\[[\d-]+T[\d:.]+Z\]/, "[]")]
  );
}

function findGaps(rows: readonly Row[]): readonly string[] {
  return rows.flatMap(({ gap }) => gap === undefined ? [] : [gap]);
}

/** After the gap the new log is shown from its first line. */
function checkNewLog({ rows, after }: Awaited<ReturnType<typeof follow>>) {
  assert.deepEqual(findGaps(rows), ["node rebooted"]);
  const gap = rows.findIndex((row) => row.gap !== undefined);
  const shown = rowLines(rows.slice(gap));
  assert.ok(gap > 0 && shown.length > 0);
  assert.deepEqual(shown, after.slice(0, shown.length));
}

const logs = [["dmesg", "Dmesg"], ["logs machined", "Logs"]] as const;
const breaks: readonly FaultName[] = [
  "stream-drop",
  "truncated-copy",
  "log-cut-mid-line",
];

for (const [command, method] of logs) {
  Deno.test(`${command} --follow continues with the new log after a reboot`, async () => {
    checkNewLog(
      await follow({
        command,
        during: ({ cluster }, node) => cluster.reboot(node),
      }),
    );
  });

  Deno.test(`${command} --follow continues with the new log after a power failure`, async () => {
    checkNewLog(
      await follow({
        command,
        before: ({ cluster }, node) =>
          cluster.setFault(node, "reboot-mid-stream", {
            method,
            calls: 1,
            afterMessages: 3,
          }),
      }),
    );
  });

  for (const fault of breaks) {
    Deno.test(`${command} --follow repeats and loses no line over ${fault}`, async () => {
      const { rows, after } = await follow({
        command,
        before: ({ cluster }, node) =>
          cluster.setFault(node, fault, { method, calls: 1, afterMessages: 3 }),
      });
      assert.deepEqual(findGaps(rows), ["connection lost"]);
      const shown = rowLines(rows);
      assert.deepEqual(shown, after.slice(0, shown.length));
    });
  }
}
