/** Former bugs of osctl: each is reintroduced in a copy of the sources, where the judge must report it. */

import type { PromiseName } from "./judge.ts";

/** A removed fix. */
export interface RemovedFix {
  /** Bug without the fix, for the page. */
  readonly does: string;
  /** Attack that finds it: `late/reboot`. */
  readonly attack: string;
  readonly trial: number;
  readonly breaks: PromiseName;
  /** Replacements of unique texts, by file. */
  readonly edits: readonly {
    readonly file: string;
    readonly from: string;
    readonly to: string;
  }[];
}

const engine = "workflows/runbooks/engine";
const operations = "workflows/operations";

/** Permissions of destructive changes are checked once, and not again before the change. */
const readsOnce: RemovedFix["edits"] = [
  {
    file: `${engine}/step.ts`,
    from: `return known.kind === "read" && known.looks === true;`,
    to: "return known.kind === undefined;",
  },
  {
    file: `${engine}/step.ts`,
    from: `    case "assert":
      return isChanged(engine, frame, later);`,
    to: `    case "assert":
      return true;`,
  },
  {
    file: `${engine}/rule_overrides.ts`,
    from: "if (now.quorum !== true) continue;",
    to: "continue;",
  },
  {
    file: `${engine}/rule_overrides.ts`,
    from: "if (paths.length === 0) return;",
    to: "return;",
  },
];

/** All of them. */
export const removedFixes: readonly RemovedFix[] = [
  {
    does:
      "`etcd-recovery` asks once whether the quorum is lost, and not again before it wipes",
    attack: "recovered/etcd-recovery",
    trial: 1,
    breaks: "quorum",
    edits: readsOnce,
  },
  {
    does: "a process that was suspended continues with outdated knowledge",
    attack: "freeze/etcd-recovery",
    trial: 100_003,
    breaks: "once",
    edits: [...readsOnce, {
      file: "workflows/runbooks/lock/suspension.ts",
      from: "if (gap > longestMs) missedMs = gap;",
      to: "",
    }],
  },
  {
    does:
      "a node that no longer answers counts as reset, whether or not it has begun",
    attack: "other/reset",
    trial: 100_003,
    breaks: "honest",
    edits: [{
      file: `${operations}/wait_begun.ts`,
      from: "if (event?.error?.code === Code.LOCKED) return lockedVerdict();",
      to: "return undefined;",
    }, {
      file: `${operations}/wait_off.ts`,
      from: "if (losesConfiguration) return notWiped;",
      to: "",
    }],
  },
  {
    does: "a request whose connection was lost is sent again after 10 seconds",
    attack: "late/restart-nodes",
    trial: 3,
    breaks: "once",
    edits: [{
      file: `${operations}/boot_key.ts`,
      from: "const mayArrive = clock.now() - sentAt < lateMs;",
      to: "const mayArrive = false;",
    }, {
      file: `${operations}/run.ts`,
      from:
        `if (found === "not-started" && (unsent || isRepeatable(operation))) {`,
      to: `if (found === "not-started") {`,
    }, {
      file: `${operations}/run.ts`,
      from: "return again && !isRepeatable(operation)",
      to: "return false",
    }],
  },
  {
    does: "`header.json` of a run may change between two processes",
    attack: "damage/rolling-upgrade",
    trial: 200_006,
    breaks: "requested",
    edits: [{
      file: "workflows/runbooks/store/run_header.ts",
      from: "  if (isSame) return;",
      to: "  return;",
    }],
  },
  {
    does:
      "a resumed `etcd-recovery` asks whether nodes that it restarts itself are gone for good",
    attack: "kill/etcd-recovery",
    trial: 300_003,
    breaks: "resumable",
    edits: [{
      file: `${engine}/step.ts`,
      from: "(!isPassing(engine, step) || isChanged(engine, frame, later))",
      to: "!isPassing(engine, step)",
    }],
  },
  {
    does:
      "an answer with the code `INTERNAL` counts as a lost connection, after which a node stays cordoned",
    attack: "node/upgrade",
    trial: 400_004,
    breaks: "resumable",
    edits: [{
      file: "transport/call/retryable.ts",
      from: `  "DATA_LOSS",
]);`,
      to: `  "DATA_LOSS",
  "INTERNAL",
]);`,
    }, {
      file: `${operations}/upgrade/install.ts`,
      from: "if (context.signal.aborted || isUnknownCall(error)) throw error;",
      to: "throw error;",
    }],
  },
  {
    does:
      "a member of etcd that still answers counts, although its node is about to stop",
    attack: "other/upgrade",
    trial: 3_100_023,
    breaks: "quorum",
    edits: [{
      file: "workflows/etcd/etcd_facts.ts",
      from: "answers.filter(({ stage }) => leaving.has(stage))",
      to: "answers.filter(() => false)",
    }],
  },
  {
    does:
      "a registry with TLS gets the login at a server without it, if it wants that",
    attack: "registry/image cache",
    trial: 500_005,
    breaks: "secret",
    edits: [{
      file: "workflows/image_cache/registry_session.ts",
      from: 'scheme !== "http" && url.protocol === "http:"',
      to: "false",
    }],
  },
];

/** Source folders not required to run osctl. */
const left: ReadonlySet<string> = new Set(
  [".git", ".ci", "bench", "coverage", "dist", "docs", "tests", "tools"],
);

/**
 * Copies the sources into a folder, without a fix.
 *
 * @throws {Error} If the sources do not match the edits.
 */
export async function copyWithout(
  { edits }: Pick<RemovedFix, "edits">,
  root: string,
  to: string,
): Promise<void> {
  await copySources(root, to, left);
  for (const { file, from, to: text } of edits) {
    const source = await Deno.readTextFile(`${to}/${file}`);
    await Deno.writeTextFile(`${to}/${file}`, edit(source, from, text, file));
  }
}

/** Replaces a unique text. */
export function edit(
  source: string,
  from: string,
  to: string,
  file: string,
): string {
  const [before, after, ...more] = source.split(from);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file} has no single "${from}"; adapt the edit to it`);
  }
  return before + to + after;
}

async function copySources(
  from: string,
  to: string,
  without: ReadonlySet<string>,
): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (without.has(name)) continue;
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    if (isDirectory) await copySources(source, target, new Set());
    else if (isFile) await Deno.copyFile(source, target);
  }
}
