import assert from "node:assert/strict";
import type { ApprovalRequest } from "../../../../workflows/runbooks/engine/surroundings.ts";
import { openBench, type Ran } from "../_bench.ts";
import { fakeModules } from "../_fake_modules.ts";

const asked = (rest = "") => `
steps:
  - { id: go, approve: { tag: start, message: "Begin on \${{ cluster.name }}?"${rest} } }
  - { id: w, run: work }
`;

function bench() {
  const fakes = fakeModules();
  const modules = [fakes.change("work", { scope: "cluster" })];
  return { fakes, open: () => openBench({ modules }) };
}

function answers({ records }: Ran): readonly unknown[] {
  return records.flatMap(({ t, d }) => t === "approve.answered" ? [d] : []);
}

const hourMs = 3_600_000;

Deno.test("an answer is asked for, written down with who gave it and how, and the run goes on", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  const requests: ApprovalRequest[] = [];
  const ran = await bench_.run(asked(), {}, {
    answers: (request) => {
      requests.push(request);
      return Promise.resolve({ approved: true, by: "ann", how: "terminal" });
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(requests, [{
    tag: "start",
    path: "go",
    message: "Begin on demo?",
    destructive: false,
  }]);
  assert.deepEqual(answers(ran), [{
    tag: "start",
    approved: true,
    by: "ann",
    how: "terminal",
    destructive: false,
  }]);
  assert.deepEqual(fakes.done(), ["work"]);
});

Deno.test("where nobody is there to answer the run stops, and asks again when it goes on", async () => {
  const { fakes, open } = bench();
  await using bench_ = await open();
  const first = await bench_.run(asked());
  assert.equal(first.verdict, "waiting-approval 76");
  assert.equal(
    first.end?.failure?.message,
    '"start" is to be approved: Begin on demo?',
  );
  assert.deepEqual(fakes.done(), []);
  const second = await bench_.resume({ answers: true });
  assert.equal(second.verdict, "succeeded 0");
  const asks = second.records.filter(({ t }) => t === "approve.asked");
  assert.equal(asks.length, 2);
});

Deno.test("an answer that is no ends the run, and it is asked again when it goes on", async () => {
  const { open } = bench();
  await using bench_ = await open();
  const first = await bench_.run(asked(), {}, { answers: { start: false } });
  assert.equal(first.verdict, "refused 7");
  assert.equal(first.end?.failure?.message, '"start" was refused by tester');
  const second = await bench_.resume({ answers: true });
  assert.equal(second.verdict, "succeeded 0");
});

Deno.test("a question that nobody answers in time ends the run", async () => {
  const { open } = bench();
  await using bench_ = await open();
  const began = bench_.cluster.clock.now();
  const ran = await bench_.run(asked(", timeout: 30m"), {}, {
    answers: (_request, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve(undefined))
      ),
  });
  assert.equal(ran.verdict, "refused 7");
  assert.equal(
    ran.end?.failure?.message,
    '"start" was not answered within 30 min',
  );
  assert.equal(bench_.cluster.clock.now() - began, hourMs / 2);
});

Deno.test("a wish to stop ends the wait for an answer", async () => {
  const { open } = bench();
  await using bench_ = await open();
  const ran = await bench_.run(asked(), {}, {
    answers: (_request, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve(undefined))
      ),
    on: ({ type }, { stop }) => {
      if (type === "approve.asked") stop();
    },
  });
  assert.equal(ran.verdict, "stopped 75");
});

/** How often it is asked in all when the run dies behind an answer and goes on later. */
async function asksAfter(rest: string, laterMs: number): Promise<number> {
  const { open } = bench();
  await using bench_ = await open();
  const first = await bench_.run(asked(rest), {}, {
    answers: true,
    on: ({ type }, { kill }) => {
      if (type === "approve.answered") kill();
    },
  });
  assert.equal(first.verdict, "killed");
  await bench_.pass(laterMs);
  const second = await bench_.resume({ answers: true });
  assert.equal(second.verdict, "succeeded 0");
  return second.records.filter(({ t }) => t === "approve.asked").length;
}

Deno.test("an answer holds for a day, or as long as the runbook says", async () => {
  assert.equal(await asksAfter("", 23 * hourMs), 1);
  assert.equal(await asksAfter("", 25 * hourMs), 2);
  assert.equal(await asksAfter(", timeout: 2h", hourMs), 1);
  assert.equal(await asksAfter(", timeout: 2h", 3 * hourMs), 2);
});

Deno.test("an answer that data may be lost holds for an hour at most", async () => {
  const rest = ", destructive: true, timeout: 8h";
  assert.equal(await asksAfter(rest, hourMs / 2), 1);
  assert.equal(await asksAfter(rest, 2 * hourMs), 2);
});
