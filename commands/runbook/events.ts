import { locateRuns } from "../../config/osconfig/location.ts";
import { ConfigError } from "../../errors.ts";
import type { RunEvent } from "../../workflows/runbooks/event.ts";
import { eventSchema } from "../../workflows/runbooks/report/event_schema.ts";
import {
  eventsPath,
  readEvents,
} from "../../workflows/runbooks/store/event_file.ts";
import { findRun } from "../../workflows/runbooks/store/find_run.ts";
import { runFolder } from "../../workflows/runbooks/store/run_folder.ts";
import { isHeld } from "../../workflows/runbooks/store/run_lock.ts";
import { exists } from "../../lib/files/exists.ts";
import {
  type Command,
  type Context,
  optionalWord,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { eventLine } from "../../workflows/runbooks/report/event_line.ts";
import { RunState } from "../../workflows/runbooks/report/run_state.ts";
import type { JsonSchema } from "../../config/documents/schema.ts";

const inputs = {
  follow: toggle("follow until the run ends", { short: "f" }),
  schema: toggle("print the JSON Schema of events"),
  run: optionalWord(
    'id of the run, a prefix or suffix of it, "last", or a file; default the only unfinished run',
    { complete: "runs" },
  ),
};

type EventsInputs = Values<typeof inputs>;

export const command = {
  summary: "Print the events of a run",
  description:
    `Prints the events of a run since it started, across all processes that resumed it; with --follow, until it ends. Also
reads files written by --events-file.

--schema prints the JSON Schema (draft 2020-12) of events; later versions may add event types and fields under "data".`,
  inputs,
  examples: [
    "runbook events last",
    "runbook events 20261120-7k2f --follow",
    "runbook events run.jsonl -o jsonl",
    "runbook events --schema",
  ],
  view: () => {
    const state = new RunState();
    const render = (row: RunEvent | JsonSchema) => formatRow(row, state);
    return { kind: "text", render, gather: false };
  },
  async *run(context) {
    if (context.input.schema) yield eventSchema();
    else yield* takeEvents(context);
  },
} satisfies Command<RunEvent | JsonSchema, EventsInputs>;

async function* takeEvents(
  { input: { follow, run }, environment, signal }: Context<EventsInputs>,
): AsyncGenerator<RunEvent> {
  if (run !== undefined && await exists(run)) {
    yield* fileEvents(run, follow, signal);
    return;
  }
  // Only file names have slashes and dots.
  if (run !== undefined && /[./\\]/.test(run)) {
    throw new ConfigError(`Cannot read "${run}": no such file`);
  }
  const runs = locateRuns(environment.env);
  const folder = runFolder(runs, await findRun(runs, run));
  const goesOn = () => isHeld(folder);
  yield* readEvents(
    eventsPath(folder),
    follow ? { goesOn, signal } : undefined,
  );
}

async function* fileEvents(
  path: string,
  follow: boolean,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let ended = false;
  const goesOn = () => Promise.resolve(!ended);
  const events = readEvents(path, follow ? { goesOn, signal } : undefined);
  for await (const event of events) {
    ended = event.type === "run.ended";
    yield event;
  }
}

function formatRow(row: RunEvent | JsonSchema, state: RunState): string {
  if (!isEvent(row)) return `${JSON.stringify(row, undefined, 2)}\n`;
  state.take(row);
  const line = eventLine(row, state);
  return line === undefined ? "" : `${line}\n`;
}

function isEvent(row: RunEvent | JsonSchema): row is RunEvent {
  return "seq" in row;
}
