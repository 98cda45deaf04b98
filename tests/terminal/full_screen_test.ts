import assert from "node:assert/strict";
import { type FullScreen, showFullScreen } from "../../terminal/full_screen.ts";
import type { ScreenEvents } from "../../terminal/environment.ts";
import { CancelledError, UsageError } from "../../errors.ts";

/** A terminal whose keys a test types. */
function terminal() {
  const written: string[] = [];
  const raw: boolean[] = [];
  const size = { columns: 8, rows: 3 };
  let events: ScreenEvents | undefined;
  let type = (_keys: string) => {};
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      type = (keys) => controller.enqueue(new TextEncoder().encode(keys));
    },
  });
  return {
    written,
    raw,
    size,
    events: () => events,
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
        size: () => ({ ...size }),
        raw: (on: boolean) => void raw.push(on),
        listen(given: ScreenEvents) {
          events = given;
          return () => events = undefined;
        },
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

const enter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const leave = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/** All lines. */
function frame(...lines: readonly string[]): string {
  return `\x1b[H\x1b[2J${lines.join("\r\n")}`;
}

/** A line that has changed. */
function row(at: number, line: string): string {
  return `\x1b[${at};1H\x1b[2K${line}`;
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
    row(1, "loads 1"),
    row(2, "key a"),
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
  assert.equal(written[1], frame("ab c", "◰ too l…", "third"));
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

Deno.test("showFullScreen draws again at another size, and leaves the terminal while it is suspended", async () => {
  const { environment, written, raw, type, size, events } = terminal();
  const drawn = Promise.withResolvers<void>();
  const ended = showFullScreen({
    ...counter({
      load() {
        drawn.resolve();
        return new Promise(() => {});
      },
    }),
    mouse: true,
  }, { environment, signal: never, wait: forever });
  await drawn.promise;
  size.columns = 5;
  events()!.resized();
  await events()!.suspended();
  const begin = `${enter}\x1b[?1000h\x1b[?1006h`;
  const end = `\x1b[?1006l\x1b[?1000l${leave}`;
  assert.equal(events()!.restore, end);
  assert.deepEqual(written, [
    begin,
    frame("loads 0", "key "),
    frame("load…", "key "),
    end,
  ]);
  events()!.resumed();
  type("q");
  await ended;
  assert.deepEqual(written.slice(4), [begin, frame("load…", "key "), end]);
  assert.deepEqual(raw, [true, false, true, false]);
  assert.equal(events(), undefined);
});

Deno.test("showFullScreen ends with an error when the terminal is closed", async () => {
  const { environment, written, events } = terminal();
  const ended = showFullScreen(
    counter({ load: () => Promise.resolve((state) => state) }),
    { environment, signal: never, wait: forever },
  );
  events()!.closed();
  await assert.rejects(ended, CancelledError);
  assert.equal(written.at(-1), leave);
});

Deno.test("showFullScreen draws parts in the colours of the terminal", async () => {
  const { environment, written, type } = terminal();
  const ended = showFullScreen(
    counter({ draw: () => [[{ text: "ab", style: "bad" }, { text: "c" }]] }),
    { environment, signal: never, wait: forever, depth: 16 },
  );
  type("q");
  await ended;
  assert.equal(written[1], frame("\x1b[31mab\x1b[0mc"));
});

Deno.test("showFullScreen takes Escape alone for a key, and a sequence that comes in two parts for one", async () => {
  const { environment, type } = terminal();
  const keys: string[] = [];
  const ended = showFullScreen(
    counter({
      press(state, key) {
        keys.push(key);
        if (keys.length === 1) type("\x1b");
        return key === "q" ? undefined : state;
      },
      draw(state) {
        if (keys.at(-1) === "\x1b") type("q");
        return [state.key];
      },
    }),
    { environment, signal: never, wait: forever },
  );
  type("\x1b[");
  type("A");
  await ended;
  assert.deepEqual(keys, ["\x1b[A", "\x1b", "q"]);
});

Deno.test("showFullScreen leaves the screen for work that reads the terminal itself, and the next key brings it back", async () => {
  const { environment, written, raw, type } = terminal();
  const ended = showFullScreen(
    counter({
      outside: (state) =>
        state.key !== "w" ? undefined : async () => {
          written.push("work");
          await Promise.resolve();
          type("x");
          return { ...state, key: "worked" };
        },
      draw(state, size) {
        if (state.key === "worked") type("q");
        return counter().draw(state, size);
      },
    }),
    { environment, signal: never, wait: forever },
  );
  // What was typed ahead was not meant for the work.
  type("wa");
  await ended;
  assert.deepEqual(written.slice(-7), [
    leave,
    "work",
    "\nPress any key to return ",
    "\r\x1b[2K",
    enter,
    frame("loads 1", "key wor…"),
    leave,
  ]);
  assert.deepEqual(raw, [true, false, true, true, false]);
});

Deno.test("showFullScreen comes back without a key from work that has nothing to read", async () => {
  const { environment, written, raw, type } = terminal();
  const ended = showFullScreen(
    counter({
      outside: (state) =>
        state.key !== "w"
          ? undefined
          : () => Promise.resolve({ ...state, key: "worked" }),
      returns: ({ key }) => key === "worked",
      draw(state, size) {
        if (state.key === "worked") type("q");
        return counter().draw(state, size);
      },
    }),
    { environment, signal: never, wait: forever },
  );
  type("w");
  await ended;
  assert.deepEqual(written.slice(-4), [
    leave,
    enter,
    frame("loads 1", "key wor…"),
    leave,
  ]);
  assert.deepEqual(raw, [true, false, true, false]);
});
