import assert from "node:assert/strict";
import { growth, proportional } from "../../_scaling.ts";
import fc from "fast-check";
import {
  type ByLineOptions,
  byLines,
} from "../../../transport/stream/by_line.ts";

async function* of(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
  }
}

/** The lines one by one. */
async function* byLine(
  chunks: AsyncIterable<Uint8Array>,
  options?: ByLineOptions,
): AsyncGenerator<string> {
  for await (const lines of byLines(chunks, options)) yield* lines;
}

Deno.test("byLines joins chunks into lines", async () => {
  const lines = byLine(of("on", "e\ntwo\nth", "", "ree\n\nfi", "ve\n"));
  assert.deepEqual(await Array.fromAsync(lines), [
    "one",
    "two",
    "three",
    "",
    "five",
  ]);
});

Deno.test("byLines withholds what is named like a secret, wherever chunks are cut", async () => {
  const lines = byLine(of("a tok", "en: x1\nb\n", "c pass", "word=x2"));
  assert.deepEqual(await Array.fromAsync(lines), [
    "a token: (redacted, 2 characters)",
    "b",
    "c password=(redacted, 2 characters)",
  ]);
});

Deno.test("byLines gives the lines that each chunk completed", async () => {
  const lines = byLines(of("on", "e\ntwo\nth", "", "ree\n\nfi", "ve"));
  assert.deepEqual(await Array.fromAsync(lines), [
    ["one", "two"],
    ["three", ""],
    ["five"],
  ]);
});

Deno.test("byLines keeps a last line without a line end", async () => {
  const lines = byLine(of("one\ntw", "o"));
  assert.deepEqual(await Array.fromAsync(lines), ["one", "two"]);
});

Deno.test("byLines gives an unfinished last line to who asks for it", async () => {
  const seen: string[] = [];
  const lines = byLine(of("one\ntw", "o"), { unfinished: (t) => seen.push(t) });
  assert.deepEqual(await Array.fromAsync(lines), ["one"]);
  assert.deepEqual(seen, ["two"]);
});

Deno.test("byLines keeps CR and a byte order mark", async () => {
  const lines = byLine(of("\uFEFFone\r\n", "\r\n"));
  assert.deepEqual(await Array.fromAsync(lines), ["\uFEFFone\r", "\r"]);
});

Deno.test("byLines replaces what is not UTF-8", async () => {
  const lines = byLine(of(new Uint8Array([0x61, 0xff, 0x0a, 0xe2, 0x82])));
  assert.deepEqual(await Array.fromAsync(lines), ["a\uFFFD", "\uFFFD"]);
});

Deno.test("byLines keeps no more than a million characters of a line that does not end", async () => {
  const piece = "x".repeat(65_536);
  const chunks = Array.from({ length: 160 }, () => piece);
  const lines = await Array.fromAsync(byLine(of(...chunks, "\nend")));
  assert.deepEqual(
    lines.map((line) => line.length),
    [...Array(10).fill(1_048_576), 3],
  );
});

Deno.test("byLines yields what came before a failure, then fails", async () => {
  async function* broken() {
    yield* of("one\ntw");
    throw new Error("gone");
  }
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const line of byLine(broken())) seen.push(line);
  }, { message: "gone" });
  assert.deepEqual(seen, ["one", "tw"]);
});

Deno.test("byLines closes its chunks when the reader leaves", async () => {
  let closed = false;
  async function* endless() {
    try {
      while (true) yield* of("line\n");
    } finally {
      closed = true;
    }
  }
  for await (const _ of byLine(endless())) break;
  assert.equal(closed, true);
});

Deno.test("byLines does not depend on where chunks are cut", async () => {
  const text = fc.array(fc.constantFrom("a", "é", "漢", "🜚", "\r", "\n"));
  const cuts = fc.array(fc.integer({ min: 0, max: 6 }));
  await fc.assert(fc.asyncProperty(text, cuts, async (characters, sizes) => {
    const whole = characters.join("");
    const bytes = new TextEncoder().encode(whole);
    const chunks: Uint8Array[] = [];
    let at = 0;
    for (const size of sizes) chunks.push(bytes.subarray(at, at += size));
    chunks.push(bytes.subarray(at));
    const expected = whole.split("\n");
    if (expected.at(-1) === "") expected.pop();
    assert.deepEqual(
      await Array.fromAsync(byLine(of(...chunks))),
      expected,
    );
  }));
});

Deno.test("byLines takes time in proportion to the lines, in small chunks", async () => {
  const line = new TextEncoder().encode(`${"x".repeat(99)}\n`);
  const block = new Uint8Array(line.length * 1024);
  for (let at = 0; at < block.length; at += line.length) block.set(line, at);
  async function* chunks(blocks: number) {
    for (let sent = 0; sent < blocks; sent++) {
      for (let at = 0; at < block.length; at += 1024) {
        yield block.subarray(at, at + 1024);
      }
    }
  }
  const grown = await growth(async (blocks) => {
    let count = 0;
    for await (const _ of byLine(chunks(blocks))) count++;
    assert.equal(count, blocks * 1024);
  }, 20);
  assert.ok(grown < proportional, `${grown}`);
});

Deno.test("a line that does not end comes in pieces, the same ones wherever the chunks are cut", async () => {
  const piece = 1_048_576;
  const long = "0123456789".repeat(250_000);
  const text = `a\n${long}\n\n${"x".repeat(piece)}\n${long}`;
  const bytes = new TextEncoder().encode(text);
  const pieces = [
    long.slice(0, piece),
    long.slice(piece, 2 * piece),
    long.slice(2 * piece),
  ];
  const wanted = ["a", ...pieces, "", "x".repeat(piece), ...pieces];
  for (const size of [65_536, 99_999, bytes.length]) {
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.subarray(i * size, (i + 1) * size),
    );
    assert.deepEqual(
      await Array.fromAsync(byLine(of(...chunks))),
      wanted,
      `${size}`,
    );
  }
});
