import assert from "node:assert/strict";
import {
  choose,
  confirm,
  type Prompter,
  prompter,
} from "../../terminal/prompt.ts";
import { CancelledError, RefusedError } from "../../errors.ts";

/** A person who types these pieces; `undefined` at the end leaves the input open. */
function person(pieces: readonly (string | undefined)[], terminal = false) {
  const shown: string[] = [];
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        if (piece === undefined) return;
        controller.enqueue(new TextEncoder().encode(piece));
      }
      controller.close();
    },
  });
  const stderr = {
    terminal,
    columns: () => undefined,
    write(bytes: Uint8Array) {
      shown.push(new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
  };
  return { environment: { stdin: { terminal, readable }, stderr }, shown };
}

async function withPrompter(
  pieces: readonly (string | undefined)[],
  test: (prompts: Prompter, shown: readonly string[]) => Promise<void>,
  { terminal = false, signal = new AbortController().signal } = {},
): Promise<void> {
  const { environment, shown } = person(pieces, terminal);
  using prompts = prompter({ environment, signal });
  await test(prompts, shown);
}

Deno.test("a prompter gives one line to each question, however they arrive", async () => {
  await withPrompter(["fi", "rst\nsecond\nlast"], async (prompts, shown) => {
    assert.equal(await prompts.ask("a: "), "first");
    assert.equal(await prompts.ask("b: "), "second");
    assert.equal(await prompts.ask("c: "), "last");
    assert.equal(await prompts.ask("d: "), undefined);
    assert.equal(shown.join(""), "a: \nb: \nc: \nd: \n");
  });
});

Deno.test("a prompter takes no line as an answer that was typed before its question", async () => {
  const { environment, shown } = person([], true);
  let type = (_text: string) => {};
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      type = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
  });
  const stdin = { terminal: true, readable, discardsEarly: true };
  const { signal } = new AbortController();
  using prompts = prompter({ environment: { ...environment, stdin }, signal });
  type("yes\n");
  type("ye");
  const answer = prompts.ask("a: ");
  while (shown.length === 0) await new Promise((next) => setTimeout(next, 1));
  type("no\nyes\n");
  assert.equal(await answer, "no");
  const second = prompts.ask("b: ");
  while (shown.length === 1) await new Promise((next) => setTimeout(next, 1));
  type("n\n");
  assert.equal(await second, "n");
});

Deno.test("a prompter adds no line end where a terminal shows the one typed", async () => {
  await withPrompter(["y\n"], async (prompts, shown) => {
    assert.equal(await prompts.ask("a: "), "y");
    assert.equal(await prompts.ask("b: "), undefined);
    assert.equal(shown.join(""), "a: b: \n");
  }, { terminal: true });
});

Deno.test("a prompter reads letters that arrive in halves", async () => {
  const [one, two] = [Uint8Array.of(0xc3), Uint8Array.of(0xa4, 0x0a)];
  const { environment } = person([]);
  const readable = ReadableStream.from([one, two]);
  using prompts = prompter({
    environment: { ...environment, stdin: { terminal: false, readable } },
    signal: new AbortController().signal,
  });
  assert.equal(await prompts.ask(""), "ä");
});

Deno.test("a prompter stops waiting when the user interrupts", async () => {
  const stop = new AbortController();
  await withPrompter([undefined], async (prompts, shown) => {
    const answer = prompts.ask("sure? ");
    stop.abort(new CancelledError());
    await assert.rejects(answer, CancelledError);
    await assert.rejects(prompts.ask("again? "), CancelledError);
    assert.equal(shown.join(""), "sure? \nagain? \n");
  }, { terminal: true, signal: stop.signal });
});

Deno.test("a prompter refuses a line that does not end", async () => {
  await withPrompter(["x".repeat(5000), undefined], async (prompts) => {
    await assert.rejects(prompts.ask(""), {
      name: "RefusedError",
      message: "Cannot read an answer: the line is longer than 4096 characters",
    });
  });
});

Deno.test("confirm shows the choice, and no answer is no", async () => {
  await withPrompter(["y\n\nno\n"], async (prompts, shown) => {
    assert.equal(await confirm(prompts, "drop it", "h"), true);
    assert.equal(await confirm(prompts, "drop it", "h"), false);
    assert.equal(await confirm(prompts, "drop it", "h"), false);
    assert.equal(shown[0], "drop it? (y/N): ");
  });
});

Deno.test("confirm refuses to decide when no answer comes", async () => {
  await withPrompter([], async (prompts) => {
    await assert.rejects(confirm(prompts, "drop it", "Use -y"), {
      name: "RefusedError",
      message: 'No answer to "drop it": standard input has ended',
      hint: "Use -y",
    });
  });
});

Deno.test("choose asks until the answer is one of the values", async () => {
  await withPrompter(["what\n\ns\n"], async (prompts, shown) => {
    const answer = await choose(prompts, "keep", ["rename", "skip"], "h");
    assert.equal(answer, "skip");
    assert.equal(
      shown.join(""),
      "keep (rename/skip): \n".repeat(3),
    );
    await assert.rejects(
      choose(prompts, "keep", ["rename", "skip"], "h"),
      RefusedError,
    );
  });
});
