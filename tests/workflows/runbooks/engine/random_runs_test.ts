import assert from "node:assert/strict";
import fc from "fast-check";
import { RunbookError } from "../../../../workflows/runbooks/language/problem.ts";
import { wanted } from "../../../_matrix.ts";
import { openBench, type Ran } from "../_bench.ts";
import { fakeCheck, type FakeModules, fakeModules } from "../_fake_modules.ts";
import { anyRunbook, mend } from "../language/_random.ts";
import { anyRun, type RandomRunbook } from "./_random_runs.ts";

function bench(fakes: FakeModules) {
  const { change, look } = fakes;
  return openBench({
    controlPlanes: 1,
    workers: 2,
    modules: [
      change("touch"),
      change("write", { tookMs: 0 }),
      change("close", { volatile: true }),
      change("mark", { scope: "cluster" }),
      look("count", { scope: "cluster", gives: () => ({}) }),
      look("etcd.status", {
        scope: "cluster",
        output: { ok: { type: "bool", summary: "Ok" } },
        gives: () => ({ ok: true }),
      }),
      change("fail", {
        spoil: () => ({ outcome: "failed", reason: "it always does" }),
      }),
    ],
    checks: [fakeCheck("well", () => true)],
  });
}

const named = {
  apiVersion: "osctl/v1",
  kind: "Runbook",
  name: "random",
  title: "For tests",
};

/** Makes conditions and messages of a random tree such that they can be computed. */
function computable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(computable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "when" || key === "that"
        ? inner === "1 < 2" ? inner : "1 > 2"
        : key === "until"
        ? { condition: "result.ok", poll: "1s", timeout: "1m" }
        : key === "gate"
        ? "well"
        : computable(inner),
    ]),
  );
}

Deno.test("random runbooks of the language end on a healthy cluster", async () => {
  await using bench_ = await bench(fakeModules());
  let ended = 0;
  await fc.assert(
    fc.asyncProperty(anyRunbook, async (tree) => {
      const { vars: _, outputs: __, requires: ___, ...rest } = Object(
        computable(mend(tree)),
      );
      try {
        const ran = await bench_.run(
          JSON.stringify({ ...rest, ...named, per: "cluster" }),
          {},
          { answers: true },
        );
        assert.ok(ran.end !== undefined);
        assert.equal(ran.records.at(-1)?.type, "run.end");
        ended++;
      } catch (error) {
        // Drops references to nodes outside of fan-outs, and duplicate names.
        if (!(error instanceof RunbookError)) throw error;
      }
    }),
    { numRuns: numRuns * 2, seed: 7 },
  );
  assert.ok(ended >= numRuns * 1.8, `${ended} of ${numRuns * 2}`);
});

/** Runbooks that are tried; the task "matrix" tries more. */
const numRuns = wanted === "all" ? 100 : 8;

function endState({ verdict, end }: Ran, fakes: FakeModules) {
  return {
    verdict,
    targets: (end?.targets ?? [])
      .map(({ path, node, state }) => `${path} ${node} ${state}`)
      .toSorted(),
    done: [...new Set(fakes.done())].toSorted(),
  };
}

/** Times that something was done which does not pass by itself. */
function lasting(fakes: FakeModules): readonly string[] {
  return fakes.done().filter((deed) => !deed.startsWith("close")).toSorted();
}

/** Ends the processes of a run at some records, one after the other, and resumes it to its end. */
async function kill(runbook: RandomRunbook, at: readonly number[]) {
  const fakes = fakeModules();
  await using bench_ = await bench(fakes);
  const text = JSON.stringify({ ...named, ...runbook });
  const [first = Infinity, ...others] = at;
  let ran = await bench_.run(text, {}, { killAt: first });
  for (const more of [...others, Infinity]) {
    if (ran.end !== undefined) break;
    await bench_.pass(30_000);
    const before = ran.records.length;
    ran = await bench_.resume({ killAt: before + more });
  }
  return { state: endState(ran, fakes), lasting: lasting(fakes) };
}

/** Stops a run with one of its events, softly or not, and resumes it to its end. */
async function runStopped(runbook: RandomRunbook, at: number, isHard: boolean) {
  const fakes = fakeModules();
  await using bench_ = await bench(fakes);
  let count = 0;
  let ran = await bench_.run(JSON.stringify({ ...named, ...runbook }), {}, {
    on(_, { stop, abandon }) {
      if (++count !== at) return;
      if (isHard) abandon();
      else stop();
    },
  });
  const state = ran.end?.state ?? "";
  if (["stopped", "interrupted"].includes(state)) ran = await bench_.resume();
  return { state: endState(ran, fakes), lasting: lasting(fakes) };
}

Deno.test("a run ends the same wherever it is stopped", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRun(false),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      async (runbook, at, isHard) => {
        const clean = await kill(runbook, []);
        const other = await runStopped(runbook, at, isHard);
        assert.deepEqual(other, clean);
      },
    ),
    { numRuns, seed: 13 },
  );
});

for (const fails of [false, true]) {
  const what = fails ? "in which nodes fail" : "in which nothing fails";
  Deno.test(`a run ${what} ends the same wherever its processes die`, async () => {
    await fc.assert(
      fc.asyncProperty(
        anyRun(fails),
        fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 2 }),
        async (runbook, at) => {
          const clean = await kill(runbook, []);
          const other = await kill(runbook, at.map((one) => one + 1));
          assert.deepEqual(other.state, clean.state);
          if (!fails) assert.deepEqual(other.lasting, clean.lasting);
        },
      ),
      { numRuns, seed: 11 },
    );
  });
}
