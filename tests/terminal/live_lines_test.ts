import assert from "node:assert/strict";
import { frame, withLiveLines } from "../../terminal/live_lines.ts";
import type { Environment, Sink } from "../../terminal/environment.ts";
import { screen } from "./_screen.ts";

/** A terminal with a program in it. */
function terminal(env: Readonly<Record<string, string>> = {}) {
  const seen = screen();
  const writes: string[] = [];
  let columns = 80;
  const sink: Sink = {
    terminal: true,
    columns: () => columns,
    rows: () => 10,
    write(bytes) {
      const text = new TextDecoder().decode(bytes);
      writes.push(text);
      seen.write(text);
      return Promise.resolve();
    },
  };
  const given: Environment = {
    stdout: sink,
    stderr: { ...sink },
    stdin: { terminal: true, readable: new Blob([]).stream() },
    env: (name) => env[name],
    now: () => new Date(0),
    os: "linux",
  };
  const environment = withLiveLines(given);
  const { live } = environment;
  return {
    given,
    environment,
    live,
    writes,
    lines: seen.lines,
    resize: (to: number) => void (columns = to),
    out: (text: string) =>
      environment.stdout.write(new TextEncoder().encode(text)),
    err: (text: string) =>
      environment.stderr.write(new TextEncoder().encode(text)),
  };
}

Deno.test("withLiveLines keeps lines below everything that is written, on both streams", async () => {
  const { live, lines, out, err } = terminal();
  assert.ok(live);
  await live.draw(["a  running", "b  pending"]);
  await err("warning: one\n");
  await live.draw(["a  done", "b  running"]);
  await out("NODE   OUTCOME\na      done\n");
  assert.deepEqual(lines(), [
    "warning: one",
    "NODE   OUTCOME",
    "a      done",
    "a  done",
    "b  running",
  ]);
  await live.leave();
  await err("error: b\n");
  assert.deepEqual(lines().slice(-3), ["a  done", "b  running", "error: b"]);
});

Deno.test("withLiveLines has the colours that were requested, which take no room", async () => {
  const { live, writes } = terminal();
  assert.ok(live);
  const line = live.paint("x".repeat(80), "bad");
  assert.equal(line, `\x1b[31m${"x".repeat(80)}\x1b[0m`);
  await live.draw([line]);
  await live.draw(["b"]);
  assert.equal(writes.at(-1)?.slice(0, 5), "\x1b[1A\r");
  live.color("never");
  assert.equal(live.paint("x", "bad"), "x");
  assert.equal(terminal({ NO_COLOR: "1" }).live?.paint("x", "bad"), "x");
});

Deno.test("withLiveLines waits for the end of a line that is written in parts", async () => {
  const { live, lines, err } = terminal();
  assert.ok(live);
  await live.draw(["a  running"]);
  await err("half ");
  await live.draw(["a  done"]);
  assert.deepEqual(lines(), ["half "]);
  await err("a line\n");
  assert.deepEqual(lines(), ["half a line", "a  done"]);
});

Deno.test("withLiveLines takes lines away that are not drawn any more", async () => {
  const { live, lines } = terminal();
  assert.ok(live);
  await live.draw(["a", "b", "c"]);
  await live.draw(["a"]);
  assert.deepEqual(lines(), ["a"]);
  await live.draw([]);
  assert.deepEqual(lines(), []);
});

Deno.test("withLiveLines writes nothing when nothing has changed", async () => {
  const { live, writes } = terminal();
  assert.ok(live);
  await live.draw(["a", "b"]);
  await live.draw(["a", "b"]);
  assert.equal(writes.length, 1);
});

Deno.test("withLiveLines draws again when the terminal has another width", async () => {
  const { live, writes, resize } = terminal();
  assert.ok(live);
  await live.draw(["0123456789"]);
  resize(5);
  await live.draw(["0123…"]);
  // The old line takes two rows now.
  const [, second = ""] = writes;
  assert.ok(second.startsWith("\x1b[2A\r"), second);
});

Deno.test("withLiveLines knows the size of the terminal", () => {
  assert.deepEqual(terminal().live?.size(), { columns: 80, rows: 10 });
});

Deno.test("a dumb terminal gets neither live lines nor full screens", () => {
  const { given } = terminal({ TERM: "dumb" });
  const size = () => ({ columns: 80, rows: 24 });
  const plain = withLiveLines({ ...given, screen: { size, raw() {} } });
  assert.deepEqual([plain.live, plain.screen], [undefined, undefined]);
});

Deno.test("frame keeps the last character of a line that fills the terminal", () => {
  const shown = { lines: ["a long one"], columns: 5 };
  assert.equal(
    frame({ lines: [], columns: 5 }, { lines: ["abcd…"], columns: 5 }),
    "\x1b[?7l\x1b[Kabcd…\r\n\x1b[J\x1b[?7h",
  );
  assert.equal(
    frame(shown, { lines: ["abcd"], columns: 5 }),
    "\x1b[2A\r\x1b[?7labcd\x1b[K\r\n\x1b[J\x1b[?7h",
  );
});

Deno.test("withLiveLines keeps everybody else away while a question is asked", async () => {
  const { given, live, lines, err } = terminal();
  assert.ok(live);
  const { write } = given.stderr;
  const type = (text: string) => write(new TextEncoder().encode(text));
  await live.draw(["a  pending"], () => ["a  running"]);
  const started = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<string>();
  const asked = live.alone(async (stderr) => {
    await stderr.write(new TextEncoder().encode("Go on? "));
    started.resolve();
    return await answered.promise;
  });
  await started.promise;
  const reported = err("warning: b\n");
  const drawn = live.draw(["a  done"]);
  await type("yes\n");
  assert.deepEqual(lines(), ["a  running", "Go on? yes"]);
  answered.resolve("yes");
  assert.equal(await asked, "yes");
  await Promise.all([reported, drawn]);
  // Once it is answered, the question is left alone.
  assert.deepEqual(lines(), ["Go on? yes", "warning: b", "a  done"]);
});

Deno.test("withLiveLines continues drawing when a question has failed", async () => {
  const { live, lines } = terminal();
  assert.ok(live);
  const failure = new Error("connection refused");
  await assert.rejects(live.alone(() => Promise.reject(failure)), failure);
  await live.draw(["a  running"]);
  assert.deepEqual(lines(), ["a  running"]);
});
