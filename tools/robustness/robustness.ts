/**
 * Attacks osctl on a simulated cluster, and counts kept promises.
 *
 * `deno task robustness [--seconds 600] [--seed 1] [--attack kill[/reboot]] [--trial N] [--keep-page]`; counts are
 * written to docs/robustness.md after all attacks. `--prove` reintroduces former bugs.
 */

import project from "../../deno.json" with { type: "json" };
import { randomFrom } from "../fuzz/mutate.ts";
import { type Attack, attacks } from "./attacks.ts";
import { chooseCluster, type Errand, errands } from "./errands.ts";
import type { History } from "./history.ts";
import { judge, type Violation } from "./judge.ts";
import { withLab } from "./lab.ts";
import { between, formatCounts, formatProofs, type ProvenFix } from "./page.ts";
import { copyWithout, type RemovedFix, removedFixes } from "./removed_fixes.ts";

/** Options of a robustness run. */
export interface RobustnessOptions {
  /** Time in which attacks are started, in seconds. */
  readonly seconds: number;
  /** Random seed. */
  readonly seed: number;
  /** Attack, or attack and errand: `kill`, `kill/reboot`; default all. */
  readonly attack?: string;
  /** Number of the only trial to run, as reported. */
  readonly trial?: number;
  /** True to reintroduce former bugs in a copy, and check that the judge reports them. */
  readonly prove: boolean;
  /** True to leave the page unchanged. */
  readonly keepPage: boolean;
}

/** An attack on an errand. */
export interface Pair {
  readonly attack: Attack;
  readonly errand: Errand;
}

/** Result of a trial. */
export interface Trial extends Pair {
  readonly number: number;
  readonly violations: readonly Violation[];
  readonly history: History;
}

/**
 * Parses the command line.
 *
 * @throws {Error} If an argument is unknown.
 */
export function parseOptions(argv: readonly string[]): RobustnessOptions {
  const options = { seconds: 600, seed: 1, prove: false, keepPage: false };
  const more: { attack?: string; trial?: number } = {};
  for (let at = 0; at < argv.length; at++) {
    const [word = "", given] = argv[at]?.split("=") ?? [];
    const value = () => given ?? argv[++at] ?? "";
    const number = () => {
      const read = Number(value());
      if (read >= 0) return read;
      throw new Error(`${word} takes a number`);
    };
    if (word === "--seconds") options.seconds = number();
    else if (word === "--seed") options.seed = number();
    else if (word === "--trial") more.trial = number();
    else if (word === "--keep-page") options.keepPage = true;
    else if (word === "--attack") more.attack = value();
    else if (word === "--prove") options.prove = true;
    else throw new Error(`Unknown word "${word}"`);
  }
  listPairs(more.attack);
  return { ...options, ...more };
}

/**
 * Lists attacks with their errands.
 *
 * @throws {Error} If the name is unknown.
 */
export function listPairs(name?: string): readonly Pair[] {
  const all = attacks.flatMap((attack) =>
    errands.filter((errand) => attack.with?.(errand) ?? !errand.isSpecial)
      .map((errand) => ({ attack, errand }))
  );
  const found = all.filter(({ attack, errand }) =>
    [undefined, attack.name, `${attack.name}/${errand.name}`].includes(name)
  );
  if (found.length > 0) return found;
  const known = attacks.map((one) => one.name).join(", ");
  throw new Error(`Unknown attack "${name}", known are ${known}`);
}

/**
 * Chooses the pairs of a run: attacks in turn, each time with another errand.
 *
 * @param count Number of pairs.
 */
export function schedule(
  pairs: readonly Pair[],
  seed: number,
  count: number,
): readonly Pair[] {
  const random = randomFrom(seed);
  const names = [...new Set(pairs.map(({ attack }) => attack.name))];
  const order = names.map((name) => {
    const own = pairs.filter(({ attack }) => attack.name === name);
    return { own, from: random(own.length) };
  });
  return Array.from({ length: count }, (_, index) => {
    const turn = order[index % order.length];
    const round = Math.floor(index / order.length);
    const pair = turn?.own[(turn.from + round) % turn.own.length];
    if (pair === undefined) throw new RangeError("No pairs");
    return pair;
  });
}

/** Runs one attack. `main`: main module of osctl. */
export async function play(
  { attack, errand }: Pair,
  number: number,
  { slot, main }: { readonly slot: number; readonly main: string },
): Promise<Trial> {
  const random = randomFrom(number);
  const cluster = chooseCluster(errand);
  const history = await withLab(
    { cluster, random, slot, main },
    async (lab) => {
      const { words, ...wish } = await errand.prepare(lab);
      lab.wishes.push({ ...wish, line: words.join(" ") });
      lab.hopes.mayDoubt = errand.hides === true;
      await attack.play({ lab, errand, words });
    },
  );
  return { attack, errand, number, history, violations: judge(history) };
}

/** Number of parallel attacks: they mostly wait. */
const slots = 4;

/** Runs attacks until the time is up. */
async function playAll(
  { seconds, seed, attack, trial }: RobustnessOptions,
  main: string,
  onEnd: (trial: Trial) => Promise<void>,
): Promise<void> {
  const pairs = listPairs(attack);
  const end = performance.now() + seconds * 1_000;
  const planned = schedule(pairs, seed, trial === undefined ? 100_000 : 1);
  let next = 0;
  await Promise.all(
    Array.from({ length: slots }, async (_, slot) => {
      while (performance.now() < end) {
        const index = next++;
        const pair = planned[index];
        if (pair === undefined) return;
        const number = trial ?? seed * 100_000 + index;
        // The next one reuses its addresses.
        await onEnd(await play(pair, number, { slot, main }));
      }
    }),
  );
}

async function say(text: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
}

/** Formats the events of a trial that broke a promise. */
function formatTrial({ history: { processes, events } }: Trial): string {
  const lines = events.map(({ node, what, detail }) =>
    `    ${node} ${what} ${detail}`
  );
  for (const { line, status, out, err } of processes) {
    lines.push(`  ${status} ${line}`, out.trim(), err.trim());
  }
  return lines.join("\n");
}

/** Prints the result of a trial; in full if a promise was broken. */
async function report(trial: Trial): Promise<void> {
  const { attack, errand, number, violations, history } = trial;
  const name = `${attack.name}/${errand.name}`;
  const ends = history.processes.filter(({ wish }) => wish >= 0)
    .map(({ status }) => status).join(" ");
  await say(`${name}: ${ends}`);
  if (violations.length === 0) return;
  const seen = violations.map((one) => `  ${one.promise}: ${one.seen}`);
  const again = `deno task robustness --attack '${name}' --trial ${number}`;
  await say([...seen, `  again: ${again}`, formatTrial(trial)].join("\n"));
}

/** Reintroduces a bug, and attacks the copy until the judge reports it. */
async function prove(fix: RemovedFix, slot: number): Promise<ProvenFix> {
  const folder = await Deno.makeTempDir();
  try {
    await copyWithout(fix, root.pathname.replace(/\/$/, ""), folder);
    const [pair] = listPairs(fix.attack);
    const place = { slot, main: `${folder}/mod.ts` };
    let violations: readonly Violation[] = [];
    for (let tries = 0; tries < 8 && pair !== undefined; tries++) {
      // One report is enough.
      ({ violations } = await play(pair, fix.trial + tries, place));
      if (violations.some(({ promise }) => promise === fix.breaks)) break;
    }
    const of = violations.filter(({ promise }) => promise === fix.breaks);
    await say(`${fix.does}\n  ${of[0]?.seen ?? "NOT REPORTED"}`);
    return { ...fix, violations: of };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Reintroduces all bugs, one per copy. Returns false if one was not reported. */
async function proveAll(
  { attack, keepPage }: RobustnessOptions,
): Promise<boolean> {
  const fixes = removedFixes.filter((fix) =>
    attack === undefined || fix.attack === attack
  );
  const proofs = await Promise.all(fixes.map(prove));
  if (!keepPage && attack === undefined) {
    await writePage("proofs", formatProofs(proofs));
  }
  return proofs.every(({ violations }) => violations.length > 0);
}

const root = new URL("../../", import.meta.url);

async function writePage(name: string, text: string): Promise<void> {
  const path = new URL("docs/robustness.md", root);
  const page = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, between(page, name, text));
  await output("deno", "fmt", "--quiet", path.pathname);
}

async function output(program: string, ...args: string[]): Promise<string> {
  const command = program === "deno" ? Deno.execPath() : program;
  const { stdout } = await new Deno.Command(command, { args, cwd: root })
    .output();
  return new TextDecoder().decode(stdout).trim();
}

if (import.meta.main) {
  const options = parseOptions(Deno.args);
  if (options.prove) Deno.exit(await proveAll(options) ? 0 : 1);
  const commit = await output("git", "rev-parse", "--short", "HEAD");
  const startedAt = performance.now();
  const trials: Trial[] = [];
  await playAll(options, new URL("mod.ts", root).pathname, async (trial) => {
    trials.push(trial);
    await report(trial);
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const failed = trials.filter(({ violations }) => violations.length > 0);
  if (!options.keepPage && options.attack === undefined) {
    const date = new Date().toISOString().slice(0, 10);
    const version = `${project.version} (${commit})`;
    const run = { date, version, seed: options.seed, seconds };
    await writePage("counts", formatCounts(trials, run));
  }
  const passed = trials.length - failed.length;
  await say(
    `${
      failed.length > 0 ? "FAILED" : "ok"
    } | ${passed} passed | ${failed.length} failed (${seconds}s)`,
  );
  Deno.exit(failed.length > 0 ? 1 : 0);
}
