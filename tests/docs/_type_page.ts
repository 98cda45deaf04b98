/** Types what a page shows, in the order of the page, and compares what it says with what happens. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { findBetween } from "../../commands/_kit/find.ts";
import { globals } from "../../commands/_kit/globals.ts";
import { openSession } from "../../commands/_kit/session.ts";
import { CancelledError } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import { poll } from "../../lib/poll.ts";
import { lazyNodes } from "../../transport/node/nodes.ts";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";
import { withoutWaits } from "../_wait_notices.ts";
import { type ClustersHere, serveHere } from "./_clusters.ts";
import {
  findBlocks,
  findSpans,
  isOsctl,
  type Page,
  splitLines,
} from "./_pages.ts";
import { type Type, type Typed, withShell } from "./_shell.ts";

export interface PageSetup {
  /** Client configuration of a cluster that the reader has; omitted, the page creates one. */
  readonly osconfig?: string;
  /** Its place in the home; default `.os/config`. */
  readonly osconfigAt?: string;
  /** Files that the reader has, beside those that the page shows. */
  readonly files?: Readonly<Record<string, string>>;
  /** Variables of the reader. */
  readonly env?: Readonly<Record<string, string>>;
  readonly replace?: readonly (readonly [RegExp | string, string])[];
  readonly before?: Readonly<Record<string, readonly string[]>>;
  readonly shows?: Readonly<
    Record<string, readonly [shows: RegExp, status?: number]>
  >;
  /** A line, and what it shows when the page has slept enough. */
  readonly slept?: readonly [line: string, shows: RegExp];
  /**
   * Lines for each row of the tables, by its first cell, typed at the end: each succeeds. A text is the path of the test
   * that runs it instead.
   */
  readonly rows?: Readonly<Record<string, readonly string[] | string>>;
  /** Lines that are not typed, and why. */
  readonly notTyped?: Readonly<Record<string, string>>;
  /** Reason for not comparing blocks of output. */
  readonly notCompared?: string;
}

/** Answers of a reader to prompts, and less of what only takes time. */
const usual: readonly (readonly [RegExp, string])[] = [
  [
    /osctl (shutdown|runbook (run|resume|trust)|upgrade-k8s(?!.*--dry-run))\b(?!.*--yes)/,
    "$& --yes",
  ],
  [/osctl apply-config --insecure/, "$& --trust-any"],
  [
    /osctl runbook rehearse (?!.*(--cluster|--fault|rehearsal))/,
    "$&--cluster sim:1cp+1w ",
  ],
  [
    /osctl runbook rehearse (?=.*--fault 'node\/worker-)/,
    "$&--cluster sim:1cp+2w ",
  ],
  [/osctl pcap (?!.*--duration)/, "$&--duration 200ms "],
  [/--duration 10s/, "--duration 200ms"],
  [/--wait-timeout 10s/, "--wait-timeout 100ms"],
  [/--timeout 5s/, "--timeout 500ms"],
  [/soak=\w+/, "soak=0s"],
];

/** Lines that have no end: they are interrupted when they have shown something. */
const endless = /^(events |get .*--watch|logs .*--follow)/;

/** Words that a reader replaces: `FILE`, `<run>`, "…". */
const placeholder = /\b[A-Z]{3,}\b|<[a-z-]+>|…|\[|\.\.\./;

/** Lines that are typed although they do not run osctl. */
const others = /^(rm|sleep|export OSCONFIG)\b/;

/** Types a page into a shell. */
export async function typePage(page: Page, setup: PageSetup): Promise<void> {
  const { osconfig, osconfigAt = ".os/config", slept } = setup;
  await withFolder({
    ...setup.files,
    ...osconfig && { [osconfigAt]: await Deno.readTextFile(osconfig) },
  }, async (folder) => {
    await using clusters = serveHere();
    const osctl = (
      words: readonly string[],
      env: Readonly<Record<string, string>>,
    ) => runHere(words, { ...setup.env, ...env }, clusters);
    const sleep = async () => {
      if (slept === undefined) return await pause(20);
      const [line, shows] = slept;
      const { signal } = new AbortController();
      for await (const _ of poll({ signal }, { everyMs: 20 })) {
        const { out } = await osctl(line.split(" "), { HOME: folder });
        if (shows.test(out)) return;
      }
    };
    await withShell({ folder, sleep, osctl }, async (type) => {
      const wrong: string[] = [];
      let last: Typed = { out: "", err: "", status: 0 };
      for (const item of await findItems(page)) {
        if ("line" in item) {
          const typed = await typeLine(item.line, setup, type);
          last = typed ?? last;
          wrong.push(...typed?.wrong ?? []);
        } else if (item.language !== "text") {
          const [, name = "block"] = /^(?:#|\/\/) (\S+\.\w+)\n/
            .exec(item.text) ?? [];
          const text = replaceIn(item.text, setup);
          await Deno.writeTextFile(`${folder}/${name}`, text);
        } else if (setup.notCompared === undefined) {
          wrong.push(...findMissing(item.text, last));
        }
      }
      const rows = setup.rows ?? {};
      if (setup.rows) {
        assert.deepEqual(
          firstCells(page).toSorted(),
          Object.keys(rows).toSorted(),
        );
      }
      for (const lines of Object.values(rows)) {
        if (typeof lines === "string") {
          await Deno.stat(new URL(`../../${lines}`, import.meta.url));
          continue;
        }
        for (const line of lines) {
          const { out, err, status } = await type(line);
          if (status !== 0) {
            wrong.push(`${line}\nstatus ${status}\n${out}${err}`);
          }
        }
      }
      assert.ok(wrong.length === 0, `${page.path}\n${wrong.join("\n")}`);
    });
  });
}

/** First cells of the rows of all tables. */
function firstCells({ text }: Page): readonly string[] {
  return text.split("\n").filter((line, index, all) =>
    line.startsWith("| ") && !all[index + 1]?.startsWith("| -")
  ).map((line) => /^\| (.*?) *\|/.exec(line)?.[1] ?? "")
    .filter((cell) => !/^-+$/.test(cell));
}

type Item =
  | { readonly line: string; readonly at: number }
  | { readonly language: string; readonly text: string; readonly at: number };

/** Command lines and other blocks of a page, in its order. */
async function findItems(page: Page): Promise<readonly Item[]> {
  const items: Item[] = findBlocks(page).flatMap((block): readonly Item[] =>
    block.language === "sh"
      ? splitLines(block.text).flatMap((shown) => {
        const line = shown.replace(/^(\$ |deno task (?=osctl))/, "");
        return isOsctl.test(line) || others.test(line)
          ? [{ line, at: block.at }]
          : [];
      })
      : [block]
  );
  for (const span of findSpans(page)) {
    if (placeholder.test(span.line)) continue;
    const [, ...words] = span.line.split(" ");
    const { rest } = await findBetween(entries, words, globals);
    // Otherwise it only names a command.
    if (rest.length > 0) items.push(span);
  }
  return items.toSorted((one, other) => one.at - other.at);
}

export async function hasLines(page: Page): Promise<boolean> {
  return (await findItems(page)).some((item) => "line" in item);
}

async function typeLine(
  line: string,
  setup: PageSetup,
  type: Type,
): Promise<Typed & { readonly wrong: readonly string[] } | undefined> {
  const name = line.replace(/^osctl /, "").replace(/ +#.*$/, "");
  if (setup.notTyped?.[name] !== undefined) return undefined;
  for (const first of setup.before?.[name] ?? []) await type(first);
  const typed = await type(replaceIn(line, setup));
  const [shows = /(?:)/, status] = setup.shows?.[name] ?? [];
  const [, said] = /#.*\bstatus (\d+)/.exec(line) ?? [];
  const implied = status ?? Number(said ?? (endless.test(name) ? 130 : 0));
  const all = `${typed.out}${typed.err}`;
  const isSo = typed.status === implied && shows.test(all);
  return {
    ...typed,
    wrong: isSo ? [] : [
      `${line}\nstatus ${typed.status} instead of ${implied}, ${shows} in:\n${all}`,
    ],
  };
}

function replaceIn(line: string, { replace = [] }: PageSetup): string {
  return [...replace, ...usual].reduce(
    (text, [from, to]) =>
      text.replaceAll(typeof from === "string" ? from : RegExp(from, "g"), to),
    line,
  );
}

async function runHere(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  clusters: ClustersHere,
): Promise<Typed> {
  if (words[0] === "cluster" && words[1] === "destroy") {
    const at = words.indexOf("--name");
    await clusters.stop(at < 0 ? "os-default" : words[at + 1] ?? "");
  }
  const stop = new AbortController();
  const { out, err, status } = await run(words, {}, {
    env,
    now: () => new Date(),
    signal: stop.signal,
    open: (request) => lazyNodes(() => openSession(request)),
    onWrite() {
      if (endless.test(words.join(" "))) stop.abort(new CancelledError());
    },
  });
  return { out, err: withoutWaits(err), status };
}

const placeholders: readonly (readonly [RegExp, string])[] = [
  [/\d{8}-\d{6}-(\w+)-\w{4}\b/g, "ID-$1"],
  [/\b\d+(\.\d+)?(ms|s|m|h)(\d+s)?\b/g, "TIME"],
  // The leader of etcd comes last.
  [/\bcontrolplane-\d(, -\d)*/g, "controlplane-N"],
  [/ +/g, " "],
];

/** Finds lines of a page that were not printed. */
function findMissing(text: string, { out, err }: Typed): readonly string[] {
  const comparable = (line: string) =>
    placeholders.reduce((all, [from, to]) => all.replaceAll(from, to), line)
      .trim();
  const printed = `${out}${err}`.split("\n").map(comparable);
  return text.split("\n").map(comparable)
    .filter((line) => line !== "" && !printed.includes(line))
    .map((line) => `not printed: ${line}\nprinted:\n${out}${err}`);
}
