import assert from "node:assert/strict";
import { askHidden } from "../../terminal/hidden_input.ts";

/** A terminal on which somebody types; what is shown and whether keys are hidden is written down. */
function terminal(...typed: readonly string[]) {
  const log: string[] = [];
  const chunks = typed.map((text) => new TextEncoder().encode(text));
  const environment = {
    screen: {
      size: () => ({ columns: 80, rows: 24 }),
      raw: (on: boolean) => void log.push(on ? "hidden" : "shown"),
    },
    stdin: { terminal: true, readable: ReadableStream.from(chunks) },
    stderr: {
      terminal: true,
      columns: () => 80,
      write: (bytes: Uint8Array) => {
        log.push(new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
    },
  };
  return { environment, log };
}

const never = new AbortController().signal;

Deno.test("askHidden hides what is typed until Enter", async () => {
  const { environment, log } = terminal("hu", "sh\rmore");
  assert.equal(await askHidden(environment, "key: ", never), "hush");
  assert.deepEqual(log, ["key: ", "hidden", "shown", "\n"]);
});

Deno.test("askHidden takes keys back", async () => {
  const { environment } = terminal("\x7fab\x7fc\n");
  assert.equal(await askHidden(environment, "", never), "ac");
});

Deno.test("askHidden takes the end of input for no answer", async () => {
  assert.equal(await askHidden(terminal().environment, "", never), undefined);
  assert.equal(await askHidden(terminal("a").environment, "", never), "a");
});

Deno.test("askHidden does not ask where there is no terminal", async () => {
  const { environment: { stdin, stderr }, log } = terminal("x\n");
  assert.equal(await askHidden({ stdin, stderr }, "", never), undefined);
  assert.deepEqual(log, []);
});

Deno.test("askHidden ends with Ctrl-C, and shows keys again", async () => {
  const { environment, log } = terminal("ab\x03");
  await assert.rejects(askHidden(environment, "", never), {
    name: "CancelledError",
  });
  assert.deepEqual(log.slice(1), ["hidden", "shown", "\n"]);
});

Deno.test("askHidden ends when the caller no longer waits", async () => {
  const { environment, log } = terminal();
  const readable = new ReadableStream<Uint8Array>();
  const stop = new AbortController();
  const asked = askHidden(
    { ...environment, stdin: { terminal: true, readable } },
    "",
    stop.signal,
  );
  stop.abort(new Error("over"));
  await assert.rejects(asked, { message: "over" });
  assert.equal(log.at(-2), "shown");
});

Deno.test("askHidden refuses an answer that never ends", async () => {
  const { environment } = terminal("x".repeat(4097));
  await assert.rejects(askHidden(environment, "", never), {
    name: "RefusedError",
  });
});
