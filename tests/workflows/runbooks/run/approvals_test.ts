import assert from "node:assert/strict";
import { makeApprovals } from "../../../../workflows/runbooks/run/approvals.ts";
import type { Environment } from "../../../../terminal/environment.ts";
import type { ApprovalRequest } from "../../../../workflows/runbooks/engine/engine_options.ts";

const plain: ApprovalRequest = {
  tag: "start",
  path: "go",
  message: "Restart 2 workers?",
  destructive: false,
};

const wipe: ApprovalRequest = {
  tag: "wipe",
  path: "lose",
  message: "Lose all?",
  destructive: true,
  typed: "prod",
};

interface Given {
  readonly yes?: readonly string[];
  readonly yesDestructive?: readonly string[];
  /** Input at the terminal; without it there is none. */
  readonly typed?: string;
  /** True when the terminal stays open. */
  readonly open?: boolean;
  /** True when nothing can be written to it any more. */
  readonly isGone?: boolean;
}

/** Answers, and what was shown. */
function build(given: Given) {
  const { yes = [], yesDestructive = [], typed, open = false } = given;
  const shown: string[] = [];
  const notes: string[] = [];
  const waits: string[] = [];
  const sink = {
    terminal: typed !== undefined,
    columns: () => 80,
    write: (bytes: Uint8Array) => {
      if (given.isGone) return Promise.reject(new Error("EIO"));
      shown.push(new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
  };
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(typed ?? ""));
      if (!open) controller.close();
    },
  });
  const environment: Environment = {
    stdout: sink,
    stderr: sink,
    stdin: { terminal: typed !== undefined, readable },
    env: () => undefined,
    now: () => new Date(0),
    os: "linux",
  };
  const answers = makeApprovals({
    given: { yes, yesDestructive },
    environment,
    operator: "eve@desk",
    note: (text) => void notes.push(text),
    waits: ({ tag }) => Promise.resolve(void waits.push(tag)),
  });
  const ask = (
    request: ApprovalRequest,
    signal = new AbortController().signal,
  ) => answers.ask(request, signal);
  return { ...answers, ask, shown, notes, waits };
}

const left = { type: "approve", by: "ann@lab", at: "2026-11-20" } as const;

Deno.test("answers by --yes are for all tags, or for those named", async () => {
  const yes = { approved: true, by: "eve@desk", how: "flag" };
  assert.deepEqual(await build({ yes: ["*"] }).ask(plain), yes);
  assert.deepEqual(await build({ yes: ["a", "start"] }).ask(plain), yes);
  assert.equal(await build({ yes: ["canary"] }).ask(plain), undefined);
});

Deno.test("an approval from elsewhere counts for the question it was given for only", async () => {
  const { ask, take, notes } = build({});
  const answer = { ...left, tag: "start", approved: true } as const;
  take({ ...answer, question: "Restart 3 workers?" });
  assert.equal(await ask(plain), undefined);
  assert.deepEqual(notes, [
    'The approval of "start" by ann@lab is not valid: it was given for "Restart 3 workers?"',
  ]);
  take({ ...answer, question: plain.message });
  assert.equal((await ask(plain))?.approved, true);
});

Deno.test("answers by --yes are none where data is lost; that takes the very words", async () => {
  assert.equal(await build({ yes: ["*", "wipe"] }).ask(wipe), undefined);
  const right = build({ yesDestructive: ["wipe:prod"] });
  assert.equal((await right.ask(wipe))?.approved, true);
  const wrong = build({ yesDestructive: ["wipe:lab"] });
  assert.equal(await wrong.ask(wipe), undefined);
  assert.deepEqual(wrong.notes, [
    '--yes-destructive does not approve "wipe": "prod" must be typed, not "lab"',
  ]);
  const { typed: _, ...untyped } = wipe;
  const byTag = build({ yesDestructive: ["wipe:wipe"] });
  assert.equal((await byTag.ask(untyped))?.approved, true);
});

Deno.test("answers are not waited for where there is no terminal", async () => {
  const { ask, waits } = build({});
  assert.equal(await ask(plain), undefined);
  assert.deepEqual(waits, []);
});

Deno.test("a question is wrapped between words at the width of the terminal", async () => {
  const message =
    "Upgrade 5 nodes of the cluster os-default to v1.13.9, the control planes one at a time?";
  const { ask, shown } = build({ typed: "y\n", open: true });
  await ask({ ...plain, message });
  assert.deepEqual(shown.join("").split("\n"), [
    "Upgrade 5 nodes of the cluster os-default to v1.13.9, the control planes one at",
    "  a time?",
    'Approve "start"? (y/n): ',
  ]);
});

Deno.test("answers are typed; anything but yes and no is asked again", async () => {
  const { ask, shown, waits } = build({ typed: "perhaps\nY\n", open: true });
  assert.deepEqual(await ask(plain), {
    approved: true,
    by: "eve@desk",
    how: "terminal",
  });
  assert.deepEqual(shown, [
    'Restart 2 workers?\nApprove "start"? (y/n): ',
    'Approve "start"? (y/n): ',
  ]);
  assert.deepEqual(waits, ["start"]);
  const no = build({ typed: "no\n", open: true });
  assert.equal((await no.ask(plain))?.approved, false);
});

Deno.test("answers that lose data are refused by any text but the right one", async () => {
  const right = build({ typed: "prod\n", open: true });
  assert.equal((await right.ask(wipe))?.approved, true);
  assert.deepEqual(right.shown, [
    'Lose all?\nType "prod" to approve "wipe", anything else to refuse: ',
  ]);
  const other = build({ typed: "yes\n", open: true });
  assert.equal((await other.ask(wipe))?.approved, false);
});

Deno.test("answers are none when the input has ended", async () => {
  assert.equal(
    await build({ typed: "" }).ask(plain, AbortSignal.timeout(10)),
    undefined,
  );
});

Deno.test("answers are none when the terminal is gone, or sends no lines", async () => {
  const gone = build({ typed: "", open: true, isGone: true });
  assert.equal(await gone.ask(plain), undefined);
  const endless = build({ typed: "x".repeat(5_000), open: true });
  assert.equal(await endless.ask(plain), undefined);
  assert.match(
    endless.notes[0] ?? "",
    /^No answer to "start": .*longer than/,
  );
});

Deno.test("answers come from another terminal before and while they are waited for", async () => {
  const before = build({});
  before.take({ ...left, tag: "start", approved: false });
  const inbox = { approved: false, by: "ann@lab", how: "inbox" };
  assert.deepEqual(await before.ask(plain), inbox);
  assert.equal(await before.ask(plain), undefined);
  const during = build({ typed: "", open: true });
  const asked = during.ask(plain);
  during.take({ ...left, tag: "other", approved: true });
  const reason = "change 4711";
  during.take({ ...left, tag: "start", approved: true, reason });
  assert.deepEqual(await asked, { ...inbox, approved: true, reason });
});

Deno.test("answers from elsewhere that lose data count with the right text only", async () => {
  const { ask, take, notes } = build({ typed: "", open: true });
  const asked = ask(wipe);
  take({ ...left, tag: "wipe", approved: true, typed: "lab" });
  await Promise.resolve();
  take({ ...left, tag: "wipe", approved: true, typed: "prod" });
  assert.equal((await asked)?.how, "inbox");
  assert.ok(notes.length <= 1);
});

Deno.test("answers are not waited for any longer when the run stops", async () => {
  const stop = new AbortController();
  const { ask } = build({ typed: "", open: true });
  const asked = ask(plain, stop.signal);
  stop.abort();
  assert.equal(await asked, undefined);
});
