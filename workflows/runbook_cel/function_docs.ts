/** Functions of expressions, each with an example and its result. */

import type { Json } from "../../lib/json.ts";

interface FunctionDoc {
  /** Name: `needsUpgrade`. */
  readonly name: string;
  /** Signature: `needsUpgrade(node, version, image)`. */
  readonly call: string;
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  readonly example: string;
  /** Result of the example; absent if it depends on the run. */
  readonly gives?: Json;
}

/** Functions of runbooks, then those of CEL. */
export const functionDocs: readonly FunctionDoc[] = [
  {
    name: "semverCompare",
    call: "semverCompare(a, b)",
    summary: "Compares two versions: -1, 0 or 1",
    example: "semverCompare('v1.13.0', 'v1.12.4')",
    gives: 1,
  },
  {
    name: "semverMinorGap",
    call: "semverMinorGap(from, to)",
    summary: "Number of minor versions from one version to another",
    example: "semverMinorGap('v1.11.3', 'v1.13.0')",
    gives: 2,
  },
  {
    name: "needsUpgrade",
    call: "needsUpgrade(node, version, image)",
    summary:
      "Whether a node runs another version or, unless image is keep, another image",
    example: "needsUpgrade(node, 'v1.13.6', 'keep')",
  },
  {
    name: "targetImage",
    call: "targetImage(node, image, version)",
    summary:
      "Installer image for a node; keep preserves its repository and schematic",
    example: "targetImage(node, 'keep', 'v1.13.6')",
  },
  {
    name: "glob",
    call: "glob(text, pattern)",
    summary: "Whether a string matches a pattern with * and ?",
    example: "glob('worker-12', 'worker-*')",
    gives: true,
  },
  {
    name: "cidrContains",
    call: "cidrContains(net, ip)",
    summary: "Whether an address is in a network",
    example: "cidrContains('10.0.0.0/8', '10.1.2.3')",
    gives: true,
  },
  {
    name: "reached",
    call: "reached(step)",
    summary: "Whether any part of a step was ever started",
    example: "reached('drain')",
  },
  {
    name: "changed",
    call: "changed(node)",
    summary: "Whether the block has changed something on the node, or may have",
    example: "changed(node)",
  },
  {
    name: "now",
    call: "now()",
    summary: "The current time",
    example: "now() - timestamp('2026-11-20T19:30:00Z') > duration('1h')",
  },
  {
    name: "size",
    call: "size(x), x.size()",
    summary: "Number of characters, elements or keys",
    example: "size(['a', 'b'])",
    gives: 2,
  },
  {
    name: "has",
    call: "has(x.field)",
    summary: "Whether a field or key exists",
    example: "has(node.labels.gpu)",
    gives: true,
  },
  {
    name: "all",
    call: "list.all(x, condition)",
    summary: "Whether a condition holds for every element",
    example: "[1, 2].all(x, x > 0)",
    gives: true,
  },
  {
    name: "exists",
    call: "list.exists(x, condition)",
    summary: "Whether a condition holds for at least one element",
    example: "['a', 'b'].exists(x, x == 'b')",
    gives: true,
  },
  {
    name: "exists_one",
    call: "list.exists_one(x, condition)",
    summary: "Whether a condition holds for exactly one element",
    example: "[1, 2, 2].exists_one(x, x == 2)",
    gives: false,
  },
  {
    name: "filter",
    call: "list.filter(x, condition)",
    summary: "Elements for which a condition holds",
    example: "[1, 2, 3].filter(x, x > 1)",
    gives: [2, 3],
  },
  {
    name: "map",
    call: "list.map(x, value), list.map(x, condition, value)",
    summary: "A value for each element",
    example: "[1, 2].map(x, x * 10)",
    gives: [10, 20],
  },
  {
    name: "join",
    call: "list.join(separator)",
    summary: "Strings of a list, joined into one",
    example: "['a', 'b'].join(', ')",
    gives: "a, b",
  },
  {
    name: "split",
    call: "text.split(separator)",
    summary: "Parts of a string",
    example: "'a,b'.split(',')",
    gives: ["a", "b"],
  },
  {
    name: "contains",
    call: "text.contains(part)",
    summary: "Whether a string contains another",
    example: "'metal-installer'.contains('metal')",
    gives: true,
  },
  {
    name: "startsWith",
    call: "text.startsWith(start)",
    summary: "Whether a string starts with another",
    example: "'v1.13.6'.startsWith('v1.13.')",
    gives: true,
  },
  {
    name: "endsWith",
    call: "text.endsWith(end)",
    summary: "Whether a string ends with another",
    example: "'worker-1'.endsWith('-1')",
    gives: true,
  },
  {
    name: "indexOf",
    call: "text.indexOf(part)",
    summary: "First position of another string, from 0; -1 if not found",
    example: "'a-b-c'.indexOf('-')",
    gives: 1,
  },
  {
    name: "lastIndexOf",
    call: "text.lastIndexOf(part)",
    summary: "Last position of another string, from 0; -1 if not found",
    example: "'a-b-c'.lastIndexOf('-')",
    gives: 3,
  },
  {
    name: "substring",
    call: "text.substring(start), text.substring(start, end)",
    summary: "Part of a string",
    example: "'worker-1'.substring(7)",
    gives: "1",
  },
  {
    name: "lowerAscii",
    call: "text.lowerAscii()",
    summary: "A string in lower case",
    example: "'RACK-1'.lowerAscii()",
    gives: "rack-1",
  },
  {
    name: "upperAscii",
    call: "text.upperAscii()",
    summary: "A string in upper case",
    example: "'rack-1'.upperAscii()",
    gives: "RACK-1",
  },
  {
    name: "trim",
    call: "text.trim()",
    summary: "A string without leading and trailing whitespace",
    example: "' a '.trim()",
    gives: "a",
  },
  {
    name: "string",
    call: "string(x)",
    summary: "A value as a string",
    example: "string(3)",
    gives: "3",
  },
  {
    name: "int",
    call: "int(x)",
    summary: "A string or number as a whole number",
    example: "int('3')",
    gives: 3,
  },
  {
    name: "double",
    call: "double(x)",
    summary: "A string or number as a floating-point number",
    example: "double('1.5')",
    gives: 1.5,
  },
  {
    name: "bool",
    call: "bool(x)",
    summary: 'The string "true" or "false" as a boolean',
    example: "bool('true')",
    gives: true,
  },
  {
    name: "duration",
    call: "duration(text)",
    summary: "A duration",
    example: "duration('90s') > duration('1m')",
    gives: true,
  },
  {
    name: "timestamp",
    call: "timestamp(text)",
    summary: "A point in time",
    example:
      "timestamp('2026-11-20T19:30:00Z') < timestamp('2026-11-21T00:00:00Z')",
    gives: true,
  },
  ...[
    ["getFullYear", "Year", 2026],
    ["getMonth", "Month, from 0", 10],
    ["getDate", "Day of the month, from 1", 20],
    ["getDayOfMonth", "Day of the month, from 0", 19],
    ["getDayOfWeek", "Day of the week, Sunday is 0", 5],
    ["getDayOfYear", "Day of the year, from 0", 323],
    ["getHours", "Hour; of a duration, whole hours", 19],
    ["getMinutes", "Minute; of a duration, whole minutes", 30],
    ["getSeconds", "Second; of a duration, whole seconds", 0],
    ["getMilliseconds", "Millisecond; of a duration, milliseconds", 0],
  ].map(([name, summary, gives]) => ({
    name: `${name}`,
    call: `time.${name}(), time.${name}(zone)`,
    summary: `${summary}, in UTC or a time zone`,
    example: `timestamp('2026-11-20T19:30:00Z').${name}()`,
    gives: gives ?? null,
  })),
];
