import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import type { IndexEntry } from "../../../commands/_kit/command.ts";
import {
  formatMeaning,
  overview,
  page,
  usageLine,
} from "../../../commands/_kit/help.ts";
import {
  choice,
  integer,
  optionalWord,
  requiredText,
  rest,
  toggle,
  word,
} from "../../../commands/_kit/inputs.ts";

const entry: IndexEntry = {
  name: "image pull",
  summary: "Pull an image",
  aliases: ["image p"],
  section: "node",
  hidden: false,
  group: false,
};

const inputs = {
  image: word("reference"),
  tail: integer("lines from the end", { initial: -1 }),
  follow: toggle("follow", { short: "f", hidden: true }),
};

Deno.test("page shows what a command takes", () => {
  const command = {
    summary: "Pull an image",
    description: "More words.",
    examples: ["image pull x"],
    inputs,
    view: { kind: "bytes" as const },
    async *run() {},
  };
  const text = page(entry, { command }, [entry], inputs);
  assert.equal(
    text,
    `Pull an image

More words.

Usage:
  osctl image pull <image> [flags]

Aliases:
  image p

Arguments:
  <image>   reference

Flags:
      --tail int   lines from the end (default -1)

Examples:
  osctl image pull x

Run "osctl options" for the flags that every command takes
`,
  );
});

Deno.test("usageLine marks what may be omitted or repeated, and names flags that must be given", () => {
  assert.equal(
    usageLine(entry, { path: optionalWord("path"), more: rest("more") }),
    "osctl image pull [<path>] [<more>...] [flags]",
  );
  assert.equal(
    usageLine(entry, { more: rest("more", { least: 1 }) }),
    "osctl image pull <more>... [flags]",
  );
  assert.equal(
    usageLine(entry, {
      name: requiredText("name", { short: "m" }),
      path: optionalWord("path"),
    }),
    "osctl image pull [<path>] --name string [flags]",
  );
  assert.equal(usageLine(entry, undefined), "osctl image pull <command>");
});

Deno.test("overview omits hidden commands and those of groups", () => {
  const text = overview([
    { ...entry, name: "image", group: true, changes: true },
    entry,
    { ...entry, name: "secret", hidden: true },
  ]);
  assert.match(
    text,
    /flags\]\n\nChange nodes:\n {2}image {3}Pull an image\n\nRun "osctl <command> --help"/,
  );
});

Deno.test("formatMeaning names words and default once each", () => {
  const options = { initial: "a" } as const;
  assert.equal(
    formatMeaning(choice("how to do it", ["a", "b-c"], options)),
    "how to do it (one of a, b-c; default a)",
  );
  assert.equal(
    formatMeaning(choice("how: a, or b-c carefully", ["a", "b-c"], options)),
    "how: a, or b-c carefully (default a)",
  );
  assert.equal(formatMeaning(toggle("do it")), "do it");
  assert.equal(
    formatMeaning(toggle("do it", { deprecated: "use --that" })),
    "do it (deprecated: use --that)",
  );
});

Deno.test("page keeps to the width of the terminal", () => {
  const command = {
    summary: "Pull an image",
    description:
      "Words that stand\non two lines, and so on.\n\n  kept   as it is",
    inputs,
    view: { kind: "bytes" as const },
    async *run() {},
  };
  const text = page(entry, { command }, [entry], {
    tail: integer("lines from the end of the log of a node", { initial: -1 }),
  }, 40);
  assert.match(
    text,
    /\n\nWords that stand on two lines, and so\non.\n\n {2}kept {3}as it is\n\nUsage/,
  );
  assert.match(
    text,
    /\n {6}--tail int {3}lines from the end of\n {19}the log of a node\n {19}\(default -1\)\n/,
  );
});

Deno.test("overview has a heading for every command", () => {
  const text = overview(entries);
  for (const { name, summary, hidden } of entries) {
    if (hidden || name.includes(" ")) continue;
    const line = new RegExp(`^ {2}${name} +${summary}$`, "m");
    assert.match(text, line);
  }
});
