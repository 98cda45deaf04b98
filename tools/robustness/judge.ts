/** Finds broken promises of a trial from nodes, etcd and processes; shares no code with operations and runs. */

import {
  type Goal,
  type History,
  type Limits,
  type NodeState,
  type ProcessEnd,
  wipesIn,
} from "./history.ts";

/** Promises of osctl, by the names of violations. */
export const promises = {
  once: "Nothing is done twice for one request",
  requested: "Nothing is done that was not requested",
  quorum: "osctl never takes the quorum of etcd away",
  honest: "Nothing is reported as done that is not",
  resumable:
    "What was interrupted can be resumed to its end, and no node stays cordoned",
  secret: "No secret is in any output, or in a file that osctl leaves",
  clean: "osctl ends, with a message and no stack trace",
} as const;

/** Name of a promise. */
export type PromiseName = keyof typeof promises;

/** A broken promise. */
export interface Violation {
  readonly promise: PromiseName;
  /** Evidence. */
  readonly seen: string;
}

/** Finds the violations of a trial; empty if none. */
export function judge(history: History): readonly Violation[] {
  return [
    ...history.before.flatMap((node) => findExcess(history, node)),
    ...findOtherVersions(history),
    ...findLostQuorum(history),
    ...history.processes.flatMap((one) => findFalseClaims(history, one)),
    ...findUnfinished(history),
    ...findCordoned(history),
    ...findSecrets(history),
    ...history.processes.flatMap(findCrashes),
  ];
}

const disruptive: ReadonlySet<string> = new Set(
  ["reboot", "reset", "shutdown", "upgrade", "stageUpgrade"],
);

const words: Readonly<Record<keyof Limits, string>> = {
  boots: "booted",
  installs: "was installed",
  wipes: "was wiped",
  sequences: "began to reboot, reset, upgrade or shut down",
};

/** More effects on a node than all requests allow. */
function findExcess(
  { wishes, events }: History,
  { name }: NodeState,
): readonly Violation[] {
  const own = events.filter(({ node }) => node === name);
  const times = (what: string) => own.filter((one) => one.what === what).length;
  const counts: Readonly<Record<keyof Limits, number>> = {
    boots: times("boot") - times("foreign-boot"),
    installs: times("install"),
    wipes: wipesIn(events, name),
    sequences:
      own.filter(({ what, detail }) =>
        what === "began" && disruptive.has(detail)
      ).length - times("foreign-boot"),
  };
  const names = Object.keys(counts) as (keyof Limits)[]; // as declared above
  return names.flatMap((key) => {
    const allowed = wishes.filter(({ nodes }) => nodes.includes(name))
      .reduce((sum, { limits }) => sum + (limits[key] ?? 0), 0);
    const count = counts[key];
    if (count <= allowed) return [];
    const seen = `${name} ${words[key]} ${count} times, ${allowed} allowed`;
    return [{ promise: allowed === 0 ? "requested" : "once", seen }];
  });
}

/** Versions never requested. */
function findOtherVersions(
  { wishes, before, after }: History,
): readonly Violation[] {
  const wanted = new Set(wishes.map(({ goal }) => goal.version));
  return after.flatMap(({ name, version }) => {
    const then = before.find((one) => one.name === name)?.version;
    if (version === "" || version === then || wanted.has(version)) return [];
    return [{ promise: "requested", seen: `${name} runs ${version}` } as const];
  });
}

/** A quorum lost by a member that the attack did not stop; a single voter is always required. */
function findLostQuorum({ events }: History): readonly Violation[] {
  const attacked = new Set<string>();
  let voters = 0;
  let last: string | undefined;
  return events.flatMap(({ node, what, detail }) => {
    if (what === "attack") attacked.add(node);
    if (what === "etcd-started") attacked.delete(node);
    if (what === "etcd-stopped") last = attacked.has(node) ? undefined : node;
    if (what === "quorum") voters = Number(detail);
    if (what !== "no-quorum" || voters < 2 || last === undefined) return [];
    const seen =
      `etcd lost its quorum of ${voters} voters when ${last} stopped`;
    return [{ promise: "quorum", seen } as const];
  });
}

/** Work reported as done that is not. */
function findFalseClaims(
  { wishes, before }: History,
  { wish, line, status, out, states }: ProcessEnd,
): readonly Violation[] {
  const { nodes = [], goal = {} } = wishes[wish] ?? {};
  const claimed = new Set(doneIn(out));
  return nodes.flatMap((name) => {
    const now = states.find((one) => one.name === name);
    const then = before.find((one) => one.name === name);
    if (now === undefined || then === undefined) return [];
    if (status !== 0 && !claimed.has(now.address)) return [];
    const missing = findMissing(goal, then, now);
    if (missing === undefined) return [];
    const seen = `status ${status} of "${line}", but ${name} ${missing}`;
    return [{ promise: "honest", seen } as const];
  });
}

/** Nodes reported as done in data rows. */
function doneIn(out: string): readonly string[] {
  return out.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    try {
      const { node, outcome } = JSON.parse(line);
      return outcome === "done" ? [String(node)] : [];
    } catch {
      return [];
    }
  });
}

/** Unmet goals. */
function findMissing(
  goal: Goal,
  then: NodeState,
  now: NodeState,
): string | undefined {
  if (goal.impossible) return "cannot have it";
  if (goal.booted && now.boots <= then.boots) return "has not booted";
  if (goal.wiped && now.wipes <= then.wipes) return "was not wiped";
  if (goal.off && !now.off) return "is not off";
  if (goal.version !== undefined && now.version !== goal.version) {
    return `runs ${now.version}`;
  }
  if (goal.member !== undefined && now.member !== goal.member) {
    return now.member ? "is a member of etcd" : "is no member of etcd";
  }
  if (goal.marked && !now.marked) return "does not have the configuration";
  if (goal.rotated && now.trusts.some((one) => then.trusts.includes(one))) {
    return "accepts the CA from before";
  }
  return undefined;
}

/** Unfinished requests. */
function findUnfinished(history: History): readonly Violation[] {
  if (!history.mustFinish) return [];
  return history.wishes.flatMap(({ line }, index) => {
    const last = findLastProcess(history, index);
    if (last === undefined) return [];
    const { status, out, err } = last;
    const isOver = history.processes.some((one) =>
      one.wish === index &&
      (one.status === 0 || /has ended: succeeded/.test(one.err))
    );
    if (isOver) return [];
    if (status === 5 && history.mayDoubt && /doubt|not known/.test(out + err)) {
      return [];
    }
    const why = err.trim().split("\n").slice(-3).join(" / ");
    const seen = `"${line}" ended with status ${status}: ${why}`;
    return [{ promise: "resumable", seen } as const];
  });
}

function findLastProcess(
  { processes }: History,
  index: number,
): ProcessEnd | undefined {
  return processes.findLast(({ wish }) => wish === index);
}

/** Exit statuses with work left to do. */
const open: ReadonlySet<number> = new Set([-1, 4, 75, 76, 130, 143]);

/** Nodes left cordoned without work left to do: unavailable and in-doubt nodes are exempt. */
function findCordoned(history: History): readonly Violation[] {
  const { before, after, wishes, events, mayDoubt } = history;
  return after.flatMap(({ name, cordoned, off }) => {
    const was = before.find((one) => one.name === name)?.cordoned;
    const ends = wishes.map((_, index) =>
      findLastProcess(history, index)?.status ?? -1
    );
    const isOpen = ends.some((status) =>
      open.has(status) || mayDoubt && status !== 0
    );
    const isLeft = events.some(({ node, what, detail }) =>
      node === name && (what === "wipe" || detail === "shutdown")
    );
    if (!cordoned || was || off || isOpen || isLeft) return [];
    const seen = `${name} is cordoned after status ${ends.join(", ")}`;
    return [{ promise: "resumable", seen } as const];
  });
}

/** Secrets printed, written, or sent in clear text. */
function findSecrets(
  { secrets, texts, processes }: History,
): readonly Violation[] {
  const all = [...texts];
  for (const { line, out, err } of processes) {
    all.push([`output of "${line}"`, out], [`errors of "${line}"`, err]);
  }
  const forms = secrets.flatMap(encodeSecret);
  return all.flatMap(([where, text]) => {
    const found = forms.find((form) => text.includes(form));
    if (found === undefined) return [];
    return [{ promise: "secret", seen: `a secret is in ${where}` } as const];
  });
}

/** Encodings of a secret: plain, JSON, hexadecimal, and base64 at any offset. */
function encodeSecret(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = [0, 1, 2].map((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    // Drops characters that depend on adjacent bytes.
    return padded.toBase64().slice(offset === 0 ? 0 : 4).replace(
      /.{0,3}=*$/,
      "",
    );
  });
  const json = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, json, bytes.toHex(), ...base64])];
}

/** Processes that hang or crash. */
function findCrashes(
  { line, hung, out, err }: ProcessEnd,
): readonly Violation[] {
  const trace = /^ +at .*\.[tj]s:\d+|bug in osctl|panicked at/m.exec(out + err);
  return [
    ...hung
      ? [{ promise: "clean", seen: `"${line}" did not end` } as const]
      : [],
    ...trace
      ? [{ promise: "clean", seen: `"${line}" says: ${trace[0]}` } as const]
      : [],
  ];
}
