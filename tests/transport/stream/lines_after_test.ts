import assert from "node:assert/strict";
import { growth, proportional } from "../../_scaling.ts";
import fc from "fast-check";
import { linesAfter, skipSeen } from "../../../transport/stream/lines_after.ts";

const letters = (text: string) => text.split("");

Deno.test("linesAfter finds the lines after those seen", () => {
  const cases: [string, string, number, string | undefined][] = [
    // log, seen, lines of the log seen at most, new lines
    ["abcde", "abc", 3, "de"],
    ["abcde", "bc", Infinity, "de"],
    ["abc", "abc", 3, ""],
    ["cde", "abc", 3, "de"],
    ["xyz", "abc", 3, undefined],
    ["", "abc", 3, undefined],
    ["abc", "", 0, "abc"],
    ["aaaaa", "aaa", 3, "aa"],
    ["aaaaa", "aaa", Infinity, ""],
    ["abab", "ab", 2, "ab"],
    ["bababx", "ababab", 6, "x"],
  ];
  for (const [log, seen, limit, lines] of cases) {
    const found = linesAfter(letters(log), letters(seen), limit);
    assert.equal(found?.join(""), lines, `${seen} in ${log}`);
  }
});

Deno.test("linesAfter knows a first line cut by the node when more follows", () => {
  const seen = ["one", "two", "three"];
  assert.deepEqual(linesAfter(["wo", "three", "four"], seen, 3), ["four"]);
  assert.deepEqual(linesAfter(["", "three", "four"], seen, 3), ["four"]);
  assert.deepEqual(linesAfter(["six", "three", "four"], seen, 3), undefined);
  assert.deepEqual(linesAfter(["ree", "four"], seen, 3), undefined);
});

/** Yields letters as lines, so many at a time. */
async function* toStream(lines: string, size = 1) {
  for (let at = 0; at < lines.length; at += size) {
    await Promise.resolve();
    yield letters(lines.slice(at, at + size));
  }
}

async function skip(seen: string, stream: string, size?: number) {
  const lines = toStream(stream, size);
  const pending = await skipSeen(letters(seen), lines);
  return [pending?.join(""), (await Array.fromAsync(lines)).flat().join("")];
}

Deno.test("skipSeen leaves a stream right behind the lines seen", async () => {
  assert.deepEqual(await skip("abc", "abcde"), ["", "de"]);
  assert.deepEqual(await skip("abc", "cde"), ["d", "e"]);
  assert.deepEqual(await skip("", "ab"), ["", "ab"]);
  assert.deepEqual(await skip("abab", "ababab"), ["", "ab"]);
  assert.deepEqual(await skip("abac", "acabac"), ["", "abac"]);
  assert.deepEqual(await skip("abc", "abcdefg", 2), ["d", "efg"]);
  assert.deepEqual(await skip("abc", "abcdefg", 9), ["defg", ""]);
});

Deno.test("skipSeen gives no line of a stream that ends too early", async () => {
  assert.deepEqual(await skip("abab", "ab"), ["", ""]);
  assert.deepEqual(await skip("abab", ""), ["", ""]);
});

Deno.test("skipSeen tells a stream that starts with something else", async () => {
  assert.deepEqual(await skip("ab", "xyz"), [undefined, "z"]);
});

Deno.test("linesAfter and skipSeen continue exactly behind what was seen of a whole log", async () => {
  const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 12 });
  const size = fc.integer({ min: 1, max: 5 });
  await fc.assert(
    fc.asyncProperty(text, text, text, size, async (old, seen, more, size) => {
      const log = [...old, ...seen, ...more];
      const limit = old.length + seen.length;
      if (seen.length > 0) assert.deepEqual(linesAfter(log, seen, limit), more);
      const before = [...old, ...seen].join("");
      const found = await skip(before, log.join(""), size);
      assert.equal(found.join(""), more.join(""));
    }),
  );
});

Deno.test("linesAfter takes the longest end of the lines seen", () => {
  const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 9 });
  fc.assert(fc.property(text, text, (log, seen) => {
    // A limit of zero leaves only logs that start within the lines seen.
    const found = seen.length === 0 ? log : linesAfter(log, seen, 0);
    const longest = seen.findIndex((_, at) =>
      seen.slice(at).every((line, n) => log[n] === line)
    );
    const expected = longest < 0 ? undefined : log.slice(seen.length - longest);
    assert.deepEqual(found, seen.length === 0 ? log : expected);
  }));
});

Deno.test("linesAfter takes time in proportion to a log that repeats itself", async () => {
  const grown = await growth((size) => {
    const log = Array.from({ length: size }, () => "tick");
    const seen = [...log.slice(0, size / 10), "tock"];
    assert.equal(linesAfter(log, seen, Infinity), undefined);
  }, 20_000);
  assert.ok(grown < proportional, `${grown}`);
});
