import assert from "node:assert/strict";
import {
  colorDepth,
  lineText,
  paintedLine,
} from "../../terminal/screen_line.ts";

const mask = (text: string) => text.replace("secret", "******");

Deno.test("the colours of a terminal are none, 16 or 256", () => {
  const cases = [
    [{ TERM: "xterm-256color" }, "auto", 256],
    [{ TERM: "screen", COLORTERM: "truecolor" }, "auto", 256],
    [{ TERM: "xterm" }, "auto", 16],
    [{ TERM: "linux" }, "auto", 16],
    [{ TERM: "vt100" }, "auto", "none"],
    [{ TERM: "vt100" }, "always", 16],
    [{ TERM: "dumb" }, "auto", "none"],
    [{}, "auto", "none"],
    [{ TERM: "xterm-256color", NO_COLOR: "1" }, "auto", "none"],
    [{ TERM: "xterm-256color" }, "never", "none"],
  ] as const;
  for (const [env, choice, depth] of cases) {
    const known: Readonly<Record<string, string>> = env;
    assert.equal(colorDepth(choice, { env: (name) => known[name] }), depth);
  }
});

Deno.test("a line is cut to the terminal with an ellipsis, one line, without control sequences", () => {
  const line = [
    { text: "a\x1b[2Jb\n", style: "bad" },
    { text: "cdef" },
    { text: "never", style: "good" },
  ] as const;
  assert.equal(lineText(line), "a\x1b[2Jb\ncdefnever");
  const at = (depth: "none" | 16 | 256) =>
    paintedLine(line, { columns: 5, depth, mask });
  assert.equal(at(16), "\x1b[31mab \x1b[0mc…");
  assert.equal(at("none"), "\x1b[1mab \x1b[0mc…");
  assert.equal(paintedLine("", { columns: 5, depth: 256, mask }), "");
  const plain = (text: string, columns: number) =>
    paintedLine(text, { columns, depth: "none", mask });
  assert.equal(plain("abcde", 5), "abcde");
  assert.equal(plain("abcde   ", 5), "abcde");
  assert.equal(plain("abcdef", 1), "…");
});
