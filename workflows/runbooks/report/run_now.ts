/** The most important facts of a run now: an approval, a wait, a failure, or the next node. */

import { formatCount } from "../../../lib/text/count.ts";
import { formatElapsed } from "../../operations/node_rows.ts";
import { formatActivity, plainReason } from "./activity.ts";
import type { FanOutShown } from "./fan_out_state.ts";
import type { RunShown } from "./run_state.ts";
import { listNext } from "./report_text.ts";
import { stoppingText } from "./stop_state.ts";

/**
 * Formats what matters now, the most important first.
 *
 * @param now The present, in milliseconds since 1970.
 * @param keys True when keys answer approvals; default false.
 */
export function formatNow(
  run: RunShown,
  now: number,
  keys = false,
): readonly string[] {
  const failures = failureLines(run);
  if (run.ended !== undefined) {
    return [
      ...failures,
      ...listNext(run).map(([heading, command]) => `${heading}: ${command}`),
    ];
  }
  const asked = questionLines(run, keys);
  if (run.stopping !== undefined) {
    const text = stoppingText(run.stopping).replace("stopping", "Stopping");
    const again = run.isHere ? "; Ctrl-C again stops at once" : "";
    return [`${text}${again}`, ...asked, ...failures];
  }
  const reason = run.reason === "" || asked.length > 0 ||
      run.asked.some(({ here }) => here)
    ? []
    : [`Waiting: ${plainReason(run.reason)}`];
  const others = [...stepLines(run, now), ...nextLines(run)];
  return [
    ...asked,
    ...reason,
    ...failures,
    // A reason of the whole run is given once.
    ...others.filter((line) =>
      reason.length === 0 || !line.includes(plainReason(run.reason))
    ),
  ];
}

function questionLines(
  { asked }: RunShown,
  keys: boolean,
): readonly string[] {
  return asked.flatMap(({ tag, message, command, here }) =>
    here ? [] : [
      `Approval "${tag}": ${message}`,
      keys ? "  a approves, r refuses" : `  Answer with: ${command}`,
    ]
  );
}

/** Formats the first failed node in full: its line may be cut. */
function failureLines({ nodes }: RunShown): readonly string[] {
  const failed = nodes.filter(({ state, text }) =>
    (state === "failed" || state === "blocked") && text !== ""
  );
  const [first, ...others] = failed;
  if (first === undefined) return [];
  const more = others.length === 0
    ? ""
    : `; and ${formatCount(others.length, "more node")}`;
  return [`${first.node} ${formatActivity(first)}${more}`];
}

/** Running steps outside fan-outs. */
function stepLines(
  { stages, asked }: RunShown,
  now: number,
): readonly string[] {
  return stages.flatMap((stage) => {
    const { path, title, state, at, text, since, until, fanOut } = stage;
    const isOn = state === "running" || state === "waiting";
    // The question covers the approval.
    if (!isOn || at === "" || asked.some((one) => one.path === path)) return [];
    if (fanOut && text === "") return [];
    const time = since === undefined ? "" : `, ${formatElapsed(since, now)}`;
    if (text === "") return [`${title}${time}`];
    const one = { node: "", state, step: "", doing: "", text, until };
    const reason = state === "waiting"
      ? formatActivity(one, now)
      : plainReason(text);
    const isCounted = until !== undefined && until > now;
    return [`${title}: ${reason}${isCounted ? "" : time}`];
  });
}

const mostNames = 3;

/** The next nodes of fan-outs, and what they wait for. */
function nextLines(run: RunShown): readonly string[] {
  return run.fanOuts.flatMap((fanOut) => {
    if (!fanOut.open) return [];
    const within = run.nodes.filter(({ path }) => path === fanOut.path);
    const queue = within.filter(({ state }) => state === "queued");
    const inside = within.filter(({ state }) =>
      state === "running" || state === "waiting"
    );
    const [first] = queue;
    const parts = [
      ...first === undefined ? [] : [nextText(first, inside)],
      ...limitTexts(fanOut),
    ];
    return first === undefined && fanOut.failures === 0
      ? []
      : [parts.join("; ")];
  });
}

function nextText(
  { node, text }: RunShown["nodes"][number],
  inside: RunShown["nodes"],
): string {
  if (text !== "") return `Next: ${node}, waiting: ${plainReason(text)}`;
  if (inside.length === 0) return `Next: ${node}`;
  const after = inside.length > mostNames
    ? `one of ${inside.length} nodes is`
    : inside.length === 1
    ? `${inside[0]?.node} is`
    : `one of ${inside.map((one) => one.node).join(", ")} is`;
  return `Next: ${node}, when ${after} done`;
}

/** Limits of a fan-out, in words. */
function limitTexts(
  { atOnce, batch, batches, failures, maxFailures }: FanOutShown,
): readonly string[] {
  const failing = maxFailures === undefined
    ? []
    : maxFailures === 0
    ? ["the first failure stops the run"]
    : [`${failures} of ${formatCount(maxFailures, "allowed failure")}`];
  return [
    ...batches === undefined || batch === undefined
      ? []
      : [`batch ${batch} of ${batches}`],
    ...atOnce === undefined
      ? []
      : [atOnce === 1 ? "one at a time" : `${atOnce} at once`],
    ...failing,
  ];
}
