/** Command lines in README and pages: each can be typed as it is there. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { findBetween } from "../../commands/_kit/find.ts";
import { globals } from "../../commands/_kit/globals.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import {
  type AnyInputs,
  listFlags,
  parseValues,
  sortWords,
} from "../../commands/_kit/parse.ts";
import { toggle } from "../../commands/_kit/mod.ts";
import { findOperation } from "../../commands/_kit/target_nodes.ts";
import {
  findBlocks,
  findSpans,
  isOsctl,
  type Page,
  readPages,
  splitLines,
} from "./_pages.ts";
import { withFolder } from "../_folder.ts";
import { finders } from "../_finders.ts";
import { builtinNames } from "../../workflows/runbooks/builtin/builtin_runbooks.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";

const helpFlag = { help: toggle("show help", { short: "h" }) };

const root = new URL("../../", import.meta.url);

/** A command line, and where it is. */
interface Line {
  /** Path of the page. */
  readonly page: string;
  /** Words of the command line. */
  readonly words: readonly string[];
  /** True in a block that is copied to a shell, false where prose names a command. */
  readonly block: boolean;
  /** True when the line is for scripts of talosctl. */
  readonly peer: boolean;
}

/** Words as a shell makes them, up to what it does with the output. */
function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  const token =
    /\s*(?:(#|[|&;]|\d?>(?!\w)|\d?>\S*)|((?:'[^']*'|"[^"]*"|<[\w-]+>|\\.|[^\s|&;>'"])+))/y;
  while (true) {
    const [, stop, word = ""] = token.exec(line) ?? [];
    if (word === "" || stop !== undefined) return words;
    words.push(word.replaceAll(/["']/g, ""));
  }
}

function linesIn(page: Page): readonly Line[] {
  const lines: Line[] = [];
  const take = (line: string, block: boolean) => {
    const at = line.search(/(?<![\w./~-])osctl [a-z-]/);
    if (at < 0) return;
    const [, ...words] = splitWords(line.slice(at));
    const peer = line.includes("OSCTL_COMPAT=peer");
    lines.push({ page: page.path, words, block, peer });
  };
  for (const { language, text } of findBlocks(page)) {
    if (language !== "sh") continue;
    for (const line of splitLines(text)) {
      if (isOsctl.test(line)) take(line.replaceAll(/\)$/g, ""), true);
    }
  }
  for (const { line } of findSpans(page)) take(line, false);
  return lines;
}

/** The same steps as `main` before it runs a command; names of commands alone are right, too. */
async function expectUnderstood({ words, block, peer }: Line): Promise<void> {
  const shared = { ...globals, ...helpFlag };
  const { entry, rest } = await findBetween(entries, words, shared);
  if (entry.load === undefined || rest.length === 0 && !block) return;
  const file = await entry.load();
  const inputs = allInputs(file.command, file);
  const known = listFlags(globals, helpFlag, inputs);
  const sorted = sortWords(rest, known);
  const values = await parseValues(inputs, sorted, () => Promise.resolve(""));
  namesRunbooks(inputs, values);
  await fits(values);
  const operation = findOperation(file, values);
  const isNamed = words.some((word) => /^(--nodes|-n)(=|$)/.test(word));
  // Without a terminal it would be refused.
  if (operation === undefined || isNamed || peer) return;
  assert.ok(operation.member !== undefined, "it changes nodes and names none");
}

function namesRunbooks(
  inputs: AnyInputs,
  values: Readonly<Record<string, unknown>>,
): void {
  for (const [key, { complete }] of Object.entries(inputs)) {
    if (complete !== "runbooks") continue;
    for (const value of [values[key] ?? []].flat()) {
      const isOne =
        builtinNames.includes(`${value}`.replace(/^builtin:/, "")) ||
        /^FILE$|<[\w-]+>|\.(ya?ml|ts)$/.test(`${value}`);
      assert.ok(isOne, `"${value}" is not a runbook`);
    }
  }
}

/** Inputs of a runbook that comes with the program have to be its own. */
async function fits(values: Readonly<Record<string, unknown>>): Promise<void> {
  const name = String(values.runbook ?? "").replace(/^builtin:/, "");
  if (!builtinNames.includes(name)) return;
  const { runbook } = await loadRunbook(`builtin:${name}`, { find: finders });
  for (const word of values.input as readonly string[] ?? []) {
    const [input = ""] = word.split("=");
    assert.ok(input in runbook.inputs, `${name} has no input "${input}"`);
  }
}

/** Commands that a page has the reader write. */
const examples = ["uptime"];

const pages = await readPages();

const lines = pages.flatMap(linesIn)
  .filter(({ words: [first = ""] }) => !examples.includes(first));

Deno.test("there are command lines in the pages, of runbooks above all", () => {
  const named = new Set(lines.map(({ words }) => words.slice(0, 2).join(" ")));
  assert.ok(lines.length > 100, `${lines.length}`);
  for (const verb of ["run", "resume", "plan", "rehearse", "abort", "unlock"]) {
    assert.ok(named.has(`runbook ${verb}`), verb);
  }
});

for (const page of new Set(lines.map((line) => line.page))) {
  Deno.test(`every command line in ${page} can be typed as it stands there`, async () => {
    const wrong: string[] = [];
    for (const line of lines) {
      if (line.page !== page) continue;
      // One after the other: they load commands.
      await expectUnderstood(line).catch((error) => {
        wrong.push(`osctl ${line.words.join(" ")}: ${error.message}`);
      });
    }
    assert.deepEqual(wrong, []);
  });
}

/** Programs that pages name beside osctl, and why no test runs them. */
const notRun: Readonly<Record<string, string>> = {
  brew: "needs a release",
  cosign: "needs a release and its signatures",
  docker: "builds and runs the image: tests/e2e/image.ts",
  export: "sets a variable for the lines below it",
  gh: "needs a release and an account",
  git: "changes the clone",
  install: "writes to folders of the system",
  kubectl:
    "needs a cluster outside of osctl; tests/e2e/kubectl_test.ts runs it",
  minisign: "needs a release and its signature",
  npx: "downloads the runtime",
  rm: "removes what the line above it has made",
  sh: "installs: tests/tools/packaging/install_test.ts",
  sha256sum: "needs a release",
  sudo: "installs: tests/tools/packaging/package_test.ts",
  sleep: "waits for a crash that tests/e2e makes by itself",
};

/** Blocks that no test runs, by their first line, and why. */
const blocksNotRun: Readonly<Record<string, string>> = {
  "version=1.34.1": "builds Kubernetes for ten minutes",
};

Deno.test("a shell block has lines of osctl, tasks that exist, and programs that are listed", async () => {
  const { tasks } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", root)),
  );
  const unknown: string[] = [];
  for (const page of pages) {
    for (const { language, text } of findBlocks(page)) {
      if (language !== "sh") continue;
      const [first = "", ...others] = splitLines(text);
      if (first in blocksNotRun) continue;
      for (const line of [first, ...others]) {
        if (isOsctl.test(line)) continue;
        const [, task] = /^(?:\w+=\S+ )*(?:npx -y deno@\S+|deno) task ([\w-]+)/
          .exec(line) ?? [];
        const [program = ""] = line.split(" ");
        const isKnown = task === undefined
          ? program in notRun || line === "deno install --frozen"
          : task in tasks;
        if (!isKnown) {
          unknown.push(`${page.path}: ${line}`);
        }
      }
    }
  }
  assert.deepEqual(unknown, []);
});

/** Runbooks on pages that cannot be loaded, and why. */
const runbooksNotLoaded: Readonly<Record<string, string>> = {
  uptimes: "its command is written on the same page",
};

Deno.test("every whole runbook on a page is valid", async () => {
  let count = 0;
  for (const block of pages.flatMap(findBlocks)) {
    if (!/^apiVersion: osctl\/v1\nkind: Runbook\n/.test(block.text)) continue;
    {
      const [, name = ""] = /^name: (\S+)$/m.exec(block.text) ?? [];
      if (name in runbooksNotLoaded) continue;
      await withFolder({ "a.runbook.yaml": block.text }, async (folder) => {
        await loadRunbook(`${folder}/a.runbook.yaml`, { find: finders });
      });
      count++;
    }
  }
  assert.ok(count > 0);
});

Deno.test("guides do not force what works without", () => {
  const forced = lines.filter(({ block, words }) =>
    block && words.join(" ").startsWith("cluster destroy") &&
    words.includes("--force")
  );
  assert.deepEqual(forced.map(({ page }) => page), []);
});
