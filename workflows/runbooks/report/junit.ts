/** JUnit XML of a run: each step on each node is a test case. */

import {
  findId,
  formatStage,
  formatStep,
  plainReason,
  type StepWords,
} from "./activity.ts";
import { type Instance, listLeaves, type NodeProgress } from "./instances.ts";
import type { RunShown, RunState } from "./run_state.ts";

interface RunAccount {
  readonly instances: readonly Instance[];
  readonly passages: readonly NodeProgress[];
  readonly nodes: RunShown["nodes"];
  readonly words: StepWords;
  readonly runbook: string;
  readonly cluster: string;
  readonly state: string;
}

/**
 * Formats a run as JUnit XML: one suite for the steps outside fan-outs, one for each fan-out.
 *
 * A step with an unknown result is an error; unfinished steps and nodes that were not reached are skipped.
 */
export function junit(run: RunState): string {
  const { runbook, cluster, state, nodes } = run.shown();
  const account: RunAccount = {
    instances: [...run.instances.values()],
    passages: [...run.passages.values()],
    nodes,
    words: run.words(),
    runbook: runbook || "run",
    cluster,
    state,
  };
  const cases = [
    ...distinctCases(stepCases(account)),
    ...nodeCases(account),
    ...unreachedCases(account),
  ];
  const all = [...cases, ...runCases(account, cases)];
  const suites = [...Map.groupBy(all, ({ suite }) => suite)];
  const name = account.cluster === ""
    ? account.runbook
    : `${account.runbook} on ${account.cluster}`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites ${attributes({ name, ...totals(all) })}>`,
    ...suites.flatMap(([suite, ofSuite]) => suiteLines(suite, ofSuite)),
    `</testsuites>\n`,
  ].join("\n");
}

interface Case {
  readonly suite: string;
  /** Id of the step, for names that several have. */
  readonly id?: string;
  readonly classname: string;
  readonly name: string;
  readonly startedAt?: string;
  readonly seconds: number;
  readonly result: "passed" | "failure" | "error" | "skipped";
  readonly type?: string;
  readonly message?: string;
  readonly reported: readonly string[];
}

function stepCases(account: RunAccount): readonly Case[] {
  const paths = new Set(account.passages.map(({ path }) => path));
  return listLeaves(account.instances).map((instance) => {
    const { runbook, words } = account;
    const { path, node, startedAt, ended = startedAt, code, reported } =
      instance;
    return {
      suite: node === undefined
        ? runbook
        : formatStage(findFanOut(path, paths), words),
      classname: node ?? runbook,
      name: path.includes("/")
        ? formatStep(path, words)
        : formatStage(path, words),
      id: findId(path),
      startedAt,
      seconds: (Date.parse(ended) - Date.parse(startedAt)) / 1_000,
      reported,
      ...findResult(instance),
      ...code === undefined ? {} : { type: code },
    };
  });
}

/** Adds the id to names that several steps of a suite have: programs know a case by its name. */
function distinctCases(cases: readonly Case[]): readonly Case[] {
  const key = ({ suite, name }: Case) => `${suite}\n${name}`;
  const groups = Map.groupBy(cases, key);
  return cases.map((one) =>
    groups.get(key(one))?.every(({ id }) => id === one.id)
      ? one
      : { ...one, name: `${one.name} (${one.id})` }
  );
}

/** Innermost fan-out of a step; if none was reported, the first part of its path. */
function findFanOut(path: string, known: ReadonlySet<string>): string {
  const parts = path.split("/");
  const holders = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
  return holders.findLast((holder) => known.has(holder)) ?? parts[0] ?? path;
}

function findResult(
  { node, state, message }: Instance,
): Pick<Case, "result" | "message"> {
  const said = message === undefined
    ? {}
    : { message: plainReason(message, node) };
  switch (state) {
    case "done":
      return { result: "passed" };
    case "failed":
      return { result: "failure", ...said };
    case "indoubt":
      return { result: "error", ...said };
    case "skipped":
      return message === "when"
        ? { result: "skipped", message: "its condition is false" }
        : { result: "skipped", ...said };
    case "open":
      return { result: "skipped", message: "it has not finished" };
  }
}

function nodeCases(
  { passages, instances, words }: RunAccount,
): readonly Case[] {
  return passages.flatMap((passage) => {
    const { path, node, state, code } = passage;
    const { message = waits.has(state) ? unreached : state } = passage;
    const isReported = instances.some((instance) =>
      instance.node === node && instance.path.startsWith(`${path}/`)
    );
    if (isReported || state === "done") return [];
    return [{
      suite: formatStage(path, words),
      classname: node,
      name: "(node)",
      seconds: 0,
      reported: [],
      result: resultOfNode(passage),
      message: plainReason(message, node),
      type: code,
    }];
  });
}

const waits: ReadonlySet<string> = new Set(["queued", "not-reached"]);
const unreached = "not reached";

/** Cases for nodes of fan-outs that never started. */
function unreachedCases(
  { nodes, passages, words }: RunAccount,
): readonly Case[] {
  const known = new Set(passages.map(({ node, path }) => `${path} ${node}`));
  return nodes.flatMap(({ node, path, state }) =>
    !waits.has(state) || known.has(`${path} ${node}`) ? [] : [{
      suite: formatStage(path, words),
      classname: node,
      name: "(node)",
      seconds: 0,
      reported: [],
      result: "skipped" as const,
      message: unreached,
    }]
  );
}

function resultOfNode({ state }: NodeProgress): Case["result"] {
  return state === "failed" || state === "blocked" ? "failure" : "skipped";
}

const ended: ReadonlySet<string> = new Set(["failed", "blocked", "refused"]);

/** Cases for a run that failed before or outside its steps, which must not look successful. */
function runCases(
  { runbook, state }: RunAccount,
  cases: readonly Case[],
): readonly Case[] {
  const isReported = cases.some(({ result }) =>
    result === "failure" || result === "error"
  );
  if (isReported || !ended.has(state)) return [];
  return [{
    suite: runbook,
    classname: runbook,
    name: "(run)",
    seconds: 0,
    reported: [],
    result: "failure",
    type: state,
    message: `the run ended: ${state}`,
  }];
}

function suiteLines(name: string, cases: readonly Case[]): readonly string[] {
  const timestamp = cases.find(({ startedAt }) => startedAt !== undefined)
    ?.startedAt;
  return [
    `  <testsuite ${attributes({ name, ...totals(cases), timestamp })}>`,
    ...cases.flatMap(caseLines),
    "  </testsuite>",
  ];
}

function totals(cases: readonly Case[]): Readonly<Record<string, string>> {
  const of = (wanted: Case["result"]) =>
    String(cases.filter(({ result }) => result === wanted).length);
  const seconds = cases.reduce((sum, { seconds }) => sum + seconds, 0);
  return {
    tests: String(cases.length),
    failures: of("failure"),
    errors: of("error"),
    skipped: of("skipped"),
    time: seconds.toFixed(3),
  };
}

function caseLines(one: Case): readonly string[] {
  const { classname, name, seconds, result, type, message, reported } = one;
  const head = attributes({ classname, name, time: seconds.toFixed(3) });
  const cause = { type: result === "skipped" ? undefined : type, message };
  const body = [
    ...result === "passed" ? [] : [`      <${result} ${attributes(cause)}/>`],
    ...reported.length === 0
      ? []
      : [`      <system-out>${escape(reported.join("\n"))}</system-out>`],
  ];
  if (body.length === 0) return [`    <testcase ${head}/>`];
  return [`    <testcase ${head}>`, ...body, "    </testcase>"];
}

function attributes(
  values: Readonly<Record<string, string | undefined>>,
): string {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escape(value)}"`]
  ).join(" ");
}

// Characters that XML 1.0 does not allow.
// deno-lint-ignore no-control-regex
const forbidden = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escape(text: string): string {
  return text.replace(forbidden, "")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "");
}
