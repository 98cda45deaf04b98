import { formatDuration } from "../config/duration.ts";
import { pause } from "../transport/pause.ts";
import type { HealthFromHere } from "../workflows/checks/health/from_here.ts";
import type { HealthRow } from "../workflows/checks/health/run_health.ts";
import { serverHealth } from "../workflows/checks/health/server_health.ts";
import type { ProgressPlace } from "../workflows/operations/node_progress.ts";
import {
  type AnyCommand,
  cell,
  type Command,
  type Context,
  duration,
  toggle,
  type Values,
  type View,
} from "./_kit/mod.ts";
import { oneNode } from "./_kit/one_node.ts";
import { clusterInputs, namedAddresses } from "./_kit/node_inputs.ts";
import { progressParts } from "../terminal/tone.ts";
import { drawing, fitted } from "../terminal/drawing.ts";

const inputs = {
  ...clusterInputs,
  runE2e: toggle("also run end-to-end tests in Kubernetes"),
  server: toggle("let the selected node check the cluster", { initial: true }),
  waitTimeout: duration("timeout", { initial: "20m0s", step: false }),
};

type HealthInputs = Values<typeof inputs>;

/** `osctl health`: waits until the cluster is as it should be. */
export const command: AnyCommand = {
  summary: "Check the health of the cluster",
  description:
    `Waits for one condition after another. With --server, the selected node checks the cluster, with the conditions of its
version; with --server=false, osctl checks it through any endpoint. Standard error shows what each condition is
waiting for; on a timeout the status is 4.`,
  section: "node",
  inputs,
  examples: [
    "health --nodes 10.0.0.2",
    "health --server=false --wait-timeout 5m",
  ],
  view: view(),
  run: health,
} satisfies Command<HealthRow, HealthInputs>;

async function* health(
  context: Context<HealthInputs>,
): AsyncGenerator<HealthRow> {
  const { input, nodes, environment } = context;
  const named = namedAddresses(input);
  const clock = { now: () => environment.now().getTime(), sleep: pause };
  const display = healthDisplay(context);
  const { report } = display;
  const wait = { timeoutMs: input.waitTimeout, clock, report };
  const endpoint = input.k8sEndpoint;
  const fromHere = () => import("../workflows/checks/health/from_here.ts");
  const here = (): HealthFromHere => ({
    nodes,
    named,
    endpoint,
    wait,
    signal: context.signal,
  });
  try {
    if (input.server) {
      const client = await oneNode(context, "health");
      const question = { ...named, endpoint: endpoint ?? "" };
      yield* serverHealth(client, question, wait);
    } else yield* (await fromHere()).healthFromHere(here());
    if (input.runE2e) yield* (await fromHere()).testsFromHere(here());
  } finally {
    await display.end();
  }
}

/** Length of the longest name of a check; loading them only for that would take long. */
const width = 43;

/** Rows come seconds apart, so that each is shown at once, in columns that are known before. */
function view(): View<HealthRow> {
  const line = (check: string, state: string, took: string, reason: string) =>
    `${check.padEnd(width)}   ${state.padEnd(7)}   ${
      took.padEnd(6)
    }   ${reason}`
      .trimEnd() + "\n";
  return {
    kind: "text",
    gather: false,
    parts: progressParts,
    render({ check, state, took, reason }, first) {
      const header = first ? line("CHECK", "STATE", "TOOK", "REASON") : "";
      const time = formatDuration(Math.round(took * 10) * 100);
      return header + line(check, state, time, reason);
    },
  };
}

/** Shows what is waited for. */
export interface HealthDisplay {
  /** Takes what is waited for, and what is missing; without a name, something to say. */
  readonly report: (check: string, missing: string) => void;
  /** Takes the line away. */
  readonly end: () => Promise<void>;
}

/** Turns round while something continues. */
const marks = ["◰", "◳", "◲", "◱"] as const;

/** Time a mark stays, in milliseconds. */
const markMs = 250;

/**
 * Shows what is waited for, until it is ended.
 *
 * @param wait Waits between two drawings; ends early when the signal aborts. Default: a timer.
 */
export function healthDisplay(
  { note, environment: { live, now } }: ProgressPlace,
  wait?: (ms: number, signal: AbortSignal) => Promise<void>,
): HealthDisplay {
  if (live === undefined) {
    return {
      report(check, missing) {
        // That it begins is of no use to who reads it later.
        if (missing === "...") return;
        note(check === "" ? missing : `waiting for ${check}: ${missing}`);
      },
      end: () => Promise.resolve(),
    };
  }
  let [check, missing, since] = ["", "", now().getTime()];
  let ended = false;
  const lines = ({ columns }: { readonly columns: number }) => {
    if (ended || check === "") return [];
    const ms = now().getTime() - since;
    const mark = marks[Math.floor(ms / markMs) % marks.length];
    const took = formatDuration(Math.floor(ms / 1_000) * 1_000);
    return [
      fitted(`${mark} waiting for ${check} (${took}): ${missing}`, columns),
    ];
  };
  const { end } = drawing(live, lines, wait);
  return {
    report(next, text) {
      if (next === "") return note(text);
      if (next !== check) since = now().getTime();
      [check, missing] = [next, cell(text)];
    },
    end() {
      ended = true;
      return end();
    },
  };
}
