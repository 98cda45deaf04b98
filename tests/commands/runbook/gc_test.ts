import assert from "node:assert/strict";
import type { NewRecord } from "../../workflows/runbooks/_records.ts";
import { openVault } from "../../../workflows/vault/vault.ts";
import { run } from "../../_run.ts";
import {
  holdRun,
  makeRun,
  started,
} from "../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../_home.ts";

const now = new Date("2026-12-31T00:00:00Z");
const over: readonly NewRecord[] = [started, {
  type: "run.end",
  data: { state: "succeeded", status: 0 },
}];

interface Machine {
  readonly runs: string;
  readonly gc: (line?: string) => ReturnType<typeof run>;
  readonly left: () => Promise<readonly string[]>;
}

function withMachine(test: (machine: Machine) => Promise<void>): Promise<void> {
  return withHome((env) => {
    const runs = `${env.OS_HOME}/runs`;
    return test({
      runs,
      gc: (line = "") => run(`runbook gc ${line}`, {}, { env, now }),
      async left() {
        const entries = await Array.fromAsync(Deno.readDir(runs));
        return entries.map(({ name }) => name).toSorted();
      },
    });
  });
}

Deno.test("runbook gc removes old runs that have ended, and keeps the newest", () =>
  withMachine(async ({ runs, gc, left }) => {
    for (const day of ["10", "11", "12"]) {
      await makeRun(runs, {
        id: `202611${day}-aaaa`,
        at: `2026-11-${day}T00:00:00.000Z`,
        records: over,
      });
    }
    await makeRun(runs, {
      id: "20261230-bbbb",
      at: "2026-12-30T00:00:00.000Z",
      records: over,
    });
    await makeRun(runs, {
      id: "20261101-cccc",
      at: "2026-11-01T00:00:00.000Z",
    });
    const shown = await gc("--keep 2 --dry-run");
    assert.equal(shown.status, 0, shown.err);
    assert.match(
      shown.out.replaceAll(/\d+\.\d kB/g, "SIZE"),
      /^RUN +RUNBOOK +CLUSTER +STATE +STARTED +SIZE +REMOVED\n20261111-aaaa +demo +prod +succeeded +1 month ago +SIZE +no\n20261110-aaaa .* no\n$/,
    );
    assert.equal((await left()).length, 5);
    const { out } = await gc("--keep 2 -o jsonl");
    const rows = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map((row) => [row.run, row.removed]),
      [["20261111-aaaa", true], ["20261110-aaaa", true]],
    );
    assert.ok(rows[0].bytes > 1_000);
    const kept = ["20261101-cccc", "20261112-aaaa", "20261230-bbbb"];
    assert.deepEqual(await left(), kept);
    await gc("--keep 0 --older-than 60d");
    assert.deepEqual(await left(), kept);
    await gc("--keep 0 --older-than 1d12h");
    assert.deepEqual(await left(), ["20261101-cccc", "20261230-bbbb"]);
    await gc("--keep 0 --unfinished");
    assert.deepEqual(await left(), ["20261230-bbbb"]);
  }));

Deno.test("runbook gc never removes a run that continues", () =>
  withMachine(async ({ runs, gc, left }) => {
    using _ = await holdRun(await makeRun(runs, { records: over }));
    await gc("--keep 0 --unfinished --secrets");
    const { err, status } = await gc("last --unfinished --secrets");
    assert.equal(status, 5);
    assert.match(
      err,
      /^error: Run "20261120-7k2f" is running in another process$/m,
    );
    assert.deepEqual(await left(), ["20261120-7k2f"]);
  }));

Deno.test("runbook gc removes what is named, whatever its age, but nothing that could continue", () =>
  withMachine(async ({ runs, gc, left }) => {
    const at = "2026-12-30T00:00:00.000Z";
    await makeRun(runs, { id: "a", at, records: over });
    await makeRun(runs, { id: "b", at });
    const damaged = await makeRun(runs, { id: "c", at });
    const path = `${damaged}/journal.jsonl`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace("w-1", "w-7") + text);
    assert.equal((await gc("a none")).status, 2);
    assert.deepEqual(await left(), ["a", "b", "c"]);
    assert.equal((await gc("a")).status, 0);
    const open = await gc("b");
    assert.equal(open.status, 5);
    assert.match(
      open.err,
      /^error: Run "b" has not finished\nhint: Abort it with: osctl runbook abort b --reason "…"\nhint: Or pass --unfinished$/m,
    );
    assert.match(
      (await gc("c")).err,
      /^error: Run "c" cannot be read and may be unfinished$/m,
    );
    assert.deepEqual(await left(), ["b", "c"]);
    assert.equal((await gc("b c --unfinished")).status, 0);
    assert.deepEqual(await left(), []);
  }));

Deno.test("runbook gc keeps secrets that were not exported, unless it is asked to lose them", () =>
  withMachine(async ({ runs, gc, left }) => {
    const secret: NewRecord = { type: "secret", data: { name: "ca" } };
    const folder = await makeRun(runs, { records: [secret, ...over] });
    const keyFile = `${runs.replace(/runs$/, "run-keys")}/20261120-7k2f`;
    await openVault(folder, { keyFile });
    const kept = await gc("--keep 0");
    assert.equal(kept.status, 0);
    assert.equal(
      kept.err,
      'The vault of run "20261120-7k2f" has secrets that were not exported\n',
    );
    // A vault that cannot be read may be put back.
    const vault = `${folder}/vault.bin`;
    await Deno.copyFile(vault, `${folder}/copy`);
    await Deno.writeTextFile(vault, "{}");
    assert.equal((await gc("last")).status, 5);
    await Deno.rename(`${folder}/copy`, vault);
    assert.deepEqual(await left(), ["20261120-7k2f"]);
    assert.equal((await gc("--keep 0 --secrets")).status, 0);
    assert.deepEqual(await left(), []);
    await assert.rejects(Deno.stat(keyFile), Deno.errors.NotFound);
  }));

Deno.test("runbook gc removes runs whose vault was closed for good, or never had anything in it", () =>
  withMachine(async ({ runs, gc, left }) => {
    const secret: NewRecord = { type: "secret", data: { name: "ca" } };
    const folder = await makeRun(runs, { id: "a", records: [secret, ...over] });
    const vault = await openVault(folder, { keyFile: `${runs}/../key` });
    await vault.destroyKey();
    const plain = await makeRun(runs, { id: "b", records: over });
    await openVault(plain, { keyFile: `${runs}/../key` });
    const { err } = await gc("--keep 0");
    assert.equal(err, "");
    assert.deepEqual(await left(), []);
  }));
