import assert from "node:assert/strict";
import type { IndexEntry } from "../../../commands/_kit/command.ts";
import { overview, page, usageLine } from "../../../commands/_kit/help.ts";
import {
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
    text.slice(0, text.indexOf("\nGlobal flags:")),
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
    { ...entry, name: "image", group: true },
    entry,
    { ...entry, name: "secret", hidden: true },
  ]);
  assert.match(
    text,
    /Commands that act on nodes:\n {2}image {3}Pull an image\n\nGlobal flags:\n/,
  );
});
