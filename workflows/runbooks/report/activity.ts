/** Activities of nodes and steps in words. */

import { formatDuration } from "../../../lib/duration.ts";
import type { EventOf } from "../event.ts";
import type { NodeShown } from "./node_state.ts";

/** Activities of steps by module: `draining`. */
const activities: Readonly<Record<string, string>> = {
  "apply-config": "applying the configuration",
  "ca.accept": "accepting the new CA",
  "ca.drop": "dropping the old CA",
  "ca.issue": "switching to the new CA",
  "config.apply": "applying the configuration",
  "config.backup": "backing up the configuration",
  "config.patch": "patching the configuration",
  "config.read": "reading the configuration",
  "config.restore": "restoring the configuration",
  "etcd.copyDatabase": "copying the etcd database",
  "etcd.defrag": "defragmenting etcd",
  "etcd.forfeitLeadership": "handing over etcd leadership",
  "etcd.leave": "leaving etcd",
  "etcd.snapshot": "taking an etcd snapshot",
  "image.pull": "pulling the image",
  "k8s.pullImages": "pulling the Kubernetes images",
  "k8s.setImage": "upgrading Kubernetes",
  "node.collectSupport": "collecting a support bundle",
  "node.cordon": "cordoning",
  "node.drain": "draining",
  "node.reboot": "rebooting",
  "node.reset": "resetting",
  "node.resetEphemeral": "resetting the ephemeral partition",
  "node.rollback": "rolling back",
  "node.shutdown": "shutting down",
  "node.system": "reading the version",
  "node.uncordon": "uncordoning",
  "node.verifyVersion": "verifying the version",
  patch: "patching the configuration",
  reboot: "rebooting",
  reset: "resetting",
  rollback: "rolling back",
  shutdown: "shutting down",
  upgrade: "upgrading",
  "upgrade.install": "installing",
  "upgrade.legacy": "installing",
};

/** Activities of steps by verb. */
const verbs: Readonly<Record<string, string>> = {
  assert: "checking",
  decide: "deciding",
  gate: "checking",
  sleep: "sleeping",
};

/** Formats what a step does, in lower case: `draining`; by its title if there is no word for it. */
export function stepActivity(
  { verb, module = "", title = "" }: EventOf<"step.start">["data"],
): string {
  const known = activities[module] ?? verbs[verb];
  if (known !== undefined) return known;
  return lowerFirst(title);
}

/** Words for the steps of a run, by path. */
export interface StepWords {
  /** Titles of the steps of the runbook. */
  readonly titles: ReadonlyMap<string, string>;
  /** Activities of steps that have started: `draining`. */
  readonly activities: ReadonlyMap<string, string>;
}

/** Title of a step of the runbook; its id if it has none. */
export function stageTitle(
  { path, title, verb }: {
    readonly path: string;
    readonly title?: string | undefined;
    readonly verb?: string | undefined;
  },
): string {
  return title ?? (verb === "approve" ? "Approval" : path);
}

/** Formats the title of the step of the runbook at or around a path. */
export function formatStage(path: string, { titles }: StepWords): string {
  const [top = path] = path.split("/");
  return titles.get(top) ?? top;
}

/** Formats a step in the middle of a sentence: `draining`; by its id if it has not started. */
export function formatStep(path: string, words: StepWords): string {
  const known = words.activities.get(path);
  if (known !== undefined) return known;
  return path.includes("/") ? findId(path) : formatStage(path, words);
}

/** Formats where a failure was: `while draining`; `in drain` if the step has not started. */
export function formatDuring(path: string, words: StepWords): string {
  const isKnown = words.activities.has(path);
  return `${isKnown ? "while" : "in"} ${formatStep(path, words)}`;
}

/** Id of the step at a path. */
export function findId(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A title in the middle of a sentence; names like "etcd" and abbreviations like "CA" keep their case. */
export function lowerFirst(title: string): string {
  return /^[A-Z][a-z]/.test(title)
    ? `${title.charAt(0).toLowerCase()}${title.slice(1)}`
    : title;
}

/**
 * Formats the activity of a node, or its result: `draining, 3 pods left`.
 *
 * @param now The present, in milliseconds since 1970, for the rest of a wait; default without it.
 */
export function formatActivity(
  { node, state, step, text: reported, until, ...one }: Pick<
    NodeShown,
    "node" | "state" | "step" | "doing" | "text" | "until"
  >,
  now = Infinity,
): string {
  const text = plainReason(reported, node);
  const left = formatLeft(until, now);
  // Events of earlier versions have neither titles nor modules.
  const doing = one.doing || step;
  const during = one.doing !== ""
    ? `${state} while ${doing}`
    : step === ""
    ? state
    : `${state} in ${step}`;
  switch (state) {
    case "queued":
      return text === "" ? "queued" : `queued: ${text}`;
    case "running":
      return joinActivity(doing || "starting", text) +
        (left === "" ? "" : `; again in ${left}`);
    case "waiting":
      return named.test(text)
        ? formatWait(text, until, now)
        : explain("waiting", text);
    case "done":
      return "done";
    case "not-reached":
      return "not reached";
    case "failed":
      return explain(during, text);
    case "interrupted":
      return during;
    default:
      return explain(state, text);
  }
}

/** Reasons that say themselves that a node waits. */
const named = /^(waiting|soaking|sleeping)\b/;

/** Formats what is waited for, with the rest of a wait whose end is known: `soaking, 1m20s left`. */
function formatWait(
  text: string,
  until: number | undefined,
  now: number,
): string {
  const left = formatLeft(until, now);
  return left === "" ? text : `${text.replace(/ for \d.*/, "")}, ${left} left`;
}

function formatLeft(until = 0, now: number): string {
  return until > now
    ? formatDuration(Math.ceil((until - now) / 1_000) * 1_000)
    : "";
}

function explain(what: string, why: string): string {
  return why === "" ? what : `${what}: ${why}`;
}

/** A report such as `rebooting` already says what is done. */
function joinActivity(doing: string, text: string): string {
  return /^[a-z]+ing\b/.test(text) ? text : explain(doing, text);
}

/** Removes the names of modules and checks from a reason, and that of the node it is shown with. */
export function plainReason(text: string, node = ""): string {
  const plain = text.replace(/(^|; )[a-z\d]+(?:\.[A-Za-z]+)+: /g, "$1")
    .replace(/ \(actor [\da-f-]+\)/, "")
    .replace(/^the node is /, "");
  if (node === "") return plain;
  return plain.startsWith(`${node}: `)
    ? plain.slice(node.length + 2)
    : plain.replace(new RegExp(`ing ${RegExp.escape(node)}$`), "ing");
}
