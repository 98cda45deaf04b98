import assert from "node:assert/strict";
import { type FullScreen, showFullScreen } from "../../terminal/full_screen.ts";
import { UsageError } from "../../errors.ts";

/** A terminal whose keys a test types. */
function terminal() {
  const written: string[] = [];
  const raw: boolean[] = [];
  let type = (_keys: string) => {};
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      type = (keys) => controller.enqueue(new TextEncoder().encode(keys));
    },
  });
  return {
    written,
    raw,
    type: (keys: string) => type(keys),
    environment: {
      stdin: { terminal: true, readable },
      stdout: {
        terminal: true,
        columns: () => 8,
        write(bytes: Uint8Array) {
          written.push(new TextDecoder().decode(bytes));
          return Promise.resolve();
        },
      },
      screen: {
        size: () => ({ columns: 8, rows: 3 }),
        raw: (on: boolean) => void raw.push(on),
      },
    },
  };
}

interface Counter {
  readonly loads: number;
  readonly key: string;
}

/** Shows how often it was loaded and which key came last; `q` ends it. */
function counter(
  options: Partial<FullScreen<Counter>> = {},
): FullScreen<Counter> {
  return {
    initial: { loads: 0, key: "" },
    everyMs: 1_000,
    load: () =>
      Promise.resolve((state) => ({ ...state, loads: state.loads + 1 })),
    press: (state, key) => key === "q" ? undefined : { ...state, key },
    draw: ({ loads, key }) => [`loads ${loads}`, `key ${key}`],
    ...options,
  };
}

const never = new AbortController().signal;

/** Waits until the signal aborts, so that nothing is loaded twice. */
function forever(_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true })
  );
}

const enter = "\x1b[?1049h\x1b[?25l";
const leave = "\x1b[?25h\x1b[?1049l";

function frame(...lines: readonly string[]): string {
  return `\x1b[H${lines.map((line) => `${line}\x1b[K`).join("\r\n")}\x1b[J`;
}

Deno.test("showFullScreen draws every state and leaves the terminal as it was", async () => {
  const { environment, written, raw, type } = terminal();
  const shown = counter({
    draw(state, size) {
      if (state.loads === 1 && state.key === "") type("a");
      if (state.key === "a") type("q");
      return counter().draw(state, size);
    },
  });
  await showFullScreen(shown, { environment, signal: never, wait: forever });
  assert.deepEqual(written, [
    enter,
    frame("loads 0", "key "),
    frame("loads 1", "key "),
    frame("loads 1", "key a"),
    leave,
  ]);
  assert.deepEqual(raw, [true, false]);
});

Deno.test("showFullScreen cuts lines and strips control sequences", async () => {
  const { environment, written, type } = terminal();
  const shown = counter({
    draw: () => ["a\x1b[31mb\tc", "◰ too long", "third", "fourth"],
  });
  const ended = showFullScreen(shown, {
    environment,
    signal: never,
    wait: forever,
  });
  type("q");
  await ended;
  assert.equal(written[1], frame("ab c", "◰ too lo", "third"));
});

Deno.test("showFullScreen loads again after a pause", async () => {
  const { environment, written, type } = terminal();
  const pauses: number[] = [];
  await showFullScreen(counter(), {
    environment,
    signal: never,
    wait(ms, signal) {
      pauses.push(ms);
      if (pauses.length < 3) return Promise.resolve();
      type("q");
      return forever(ms, signal);
    },
  });
  assert.deepEqual(pauses, [1_000, 1_000, 1_000]);
  assert.ok(written.includes(frame("loads 3", "key ")));
});

Deno.test("showFullScreen ends with the signal, Ctrl-C as a key, and the end of input", async () => {
  const stop = new AbortController();
  const wait = forever;
  const signalled = terminal();
  const first = showFullScreen(counter(), {
    environment: signalled.environment,
    signal: stop.signal,
    wait,
  });
  stop.abort();
  await first;
  assert.equal(signalled.written.at(-1), leave);

  const typed = terminal();
  const second = showFullScreen(counter(), {
    environment: typed.environment,
    signal: never,
    wait,
  });
  typed.type("\x03");
  await second;
  assert.equal(typed.written.at(-1), leave);

  const closed = terminal();
  await showFullScreen(counter(), {
    environment: {
      ...closed.environment,
      stdin: { terminal: true, readable: new Blob([]).stream() },
    },
    signal: never,
    wait,
  });
  assert.equal(closed.written.at(-1), leave);
});

Deno.test("showFullScreen leaves the terminal as it was when loading fails", async () => {
  const { environment, written, raw } = terminal();
  const failing = counter({ load: () => Promise.reject(new Error("broken")) });
  await assert.rejects(
    showFullScreen(failing, { environment, signal: never }),
    { message: "broken" },
  );
  assert.equal(written.at(-1), leave);
  assert.deepEqual(raw, [true, false]);
});

Deno.test("showFullScreen refuses to draw where there is no terminal", async () => {
  const { screen: _, ...environment } = terminal().environment;
  await assert.rejects(
    showFullScreen(counter(), { environment, signal: never }),
    UsageError,
  );
});
