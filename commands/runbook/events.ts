import { readBoundedText } from "../../config/bounded_file.ts";
import { ConfigError, UsageError } from "../../errors.ts";
import type { RunEvent } from "../../workflows/runbooks/event.ts";
import {
  eventSchema,
  type JsonSchema,
} from "../../workflows/runbooks/report/event_schema.ts";
import { parseEvents } from "../../workflows/runbooks/report/events_text.ts";
import { type Command, optionalWord, toggle } from "../_kit/mod.ts";
import { eventLine } from "./_display/event_line.ts";

/** Inputs of the command. */
export interface EventsInputs {
  /** `--schema`. */
  readonly schema: boolean;
  /** File with events. */
  readonly file: string | undefined;
}

/** `osctl runbook events`: what a run told. */
export const command: Command<RunEvent | JsonSchema, EventsInputs> = {
  summary: "Print the events of a run, or their JSON Schema",
  description:
    `Reads what --events-file has written. With --schema it prints what programs may rely on (JSON Schema, draft 2020-12):
names under "data" and kinds of events that it does not list may come in later versions.`,
  inputs: {
    schema: toggle("print the JSON Schema of events"),
    file: optionalWord("file with events", { complete: "files" }),
  },
  examples: [
    "runbook events run.jsonl",
    "runbook events run.jsonl -o jsonl",
    "runbook events --schema",
  ],
  view: { kind: "text", render: textOf, gather: false },
  async *run({ input: { schema, file } }) {
    if (schema) {
      yield eventSchema();
    } else {
      yield* await eventsIn(file);
    }
  },
};

async function eventsIn(
  file: string | undefined,
): Promise<readonly RunEvent[]> {
  if (file === undefined) {
    throw new UsageError(
      "Cannot print events: neither file nor --schema given",
    );
  }
  const text = await readBoundedText({
    path: file,
    limitMib: 256,
    expected: "events of a run",
  });
  if (text === undefined) {
    throw new ConfigError(`Cannot read "${file}": there is no such file`);
  }
  return parseEvents(text, file);
}

function textOf(row: RunEvent | JsonSchema): string {
  if (!isEvent(row)) return `${JSON.stringify(row, undefined, 2)}\n`;
  const line = eventLine(row);
  return line === undefined ? "" : `${line}\n`;
}

function isEvent(row: RunEvent | JsonSchema): row is RunEvent {
  return "seq" in row;
}
