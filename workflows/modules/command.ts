/** `command`: runs a local program as a step, when the operator allows it. */

import { ConfigError, RefusedError } from "../../errors.ts";
import type { Operation, Verdict } from "../operations/operation.ts";
import { isRecord, type Json } from "../../lib/json.ts";
import type { Module } from "./module.ts";
import type { ProgramCall, RunProgram } from "../../lib/run_program.ts";
import { type ModuleInput, readText } from "../runbook_cel/values.ts";

/** Name of the module. */
export const commandName = "command";

/** Runs programs, or assumes success in a rehearsal. */
export type Programs = RunProgram | "rehearsed";

/**
 * Creates the module that runs programs.
 *
 * @param programs Runs them; omitted where it is not allowed or nothing is run.
 */
export function commandStep(programs?: Programs): Module {
  return {
    kind: "change",
    name: commandName,
    summary: "Run a program on this machine, without a shell",
    scope: "any",
    operation: makeOperation(undefined, {}, { status: 0, data: null }),
    input: {
      program: {
        type: "string",
        required: true,
        summary: "Path of a program, or its name in $PATH",
      },
      args: {
        type: "list",
        items: { type: "string", summary: "An argument" },
        initial: [],
        summary: "Arguments, passed unchanged",
      },
      input: {
        type: "any",
        summary: "Value to pass as JSON on standard input",
      },
      env: {
        type: "map",
        items: { type: "string", summary: "Value" },
        initial: {},
        summary: "Environment variables",
      },
      statuses: {
        type: "list",
        items: { type: "int", summary: "An exit status" },
        initial: [0],
        summary: "Exit statuses that count as success",
      },
      rehearsed: {
        type: "any",
        summary:
          "Output to assume in a rehearsal, which does not run the program",
      },
    },
    output: {
      status: { type: "int", summary: "Exit status" },
      data: {
        type: "any",
        summary: "Standard output: JSON, else text",
      },
    },
    retryable: ["not-started"],
    timeout: "5m",
    prepare({ note, run: id }, input) {
      const call = toCall(input);
      const seen: ProgramResult = { status: 0, data: null };
      const run = programs === "rehearsed"
        ? rehearsing(input)
        : programs && ofRun(programs, id);
      if (programs === "rehearsed") {
        note("not run in a rehearsal");
      }
      return {
        operation: makeOperation(run, input, seen),
        input: call,
        toOutput: () => ({ ...seen }),
      };
    },
  };
}

/** Passes the run's id to a program: the run's own lock does not block osctl processes that it starts. */
function ofRun(programs: RunProgram, id: string): RunProgram {
  return (call, signal) =>
    programs({ ...call, env: { OSCTL_RUN: id, ...call.env } }, signal);
}

/** Stand-in for a program: succeeds with the data of the step. */
function rehearsing({ rehearsed = null }: ModuleInput): RunProgram {
  const stdout = JSON.stringify(rehearsed);
  return () => Promise.resolve({ status: 0, stdout, stderr: "" });
}

interface ProgramResult {
  status: number;
  data: Json;
}

function toCall(input: ModuleInput): ProgramCall {
  const { args = [], env = {}, input: given } = input;
  if (!Array.isArray(args) || !isRecord(env)) {
    throw new ConfigError(
      "Cannot run a program: args is a list, and env a map",
    );
  }
  return {
    program: readText(input, "program") ?? "",
    args: args.map(String),
    input: given === undefined ? null : `${JSON.stringify(given)}\n`,
    env: Object.fromEntries(
      Object.entries(env).map(([name, value]) => [name, String(value)]),
    ),
  };
}

/** A program with its arguments, for users. */
function shownCall(
  { program, args }: Pick<ProgramCall, "program" | "args">,
): string {
  const words = [program, ...args].map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
  );
  return `run ${words.join(" ")} on this machine`;
}

function makeOperation(
  run: RunProgram | undefined,
  { statuses }: ModuleInput,
  seen: ProgramResult,
): Operation<ProgramCall, null, { readonly at: number }> {
  const good = Array.isArray(statuses) ? statuses : [0];
  return {
    name: commandName,
    effect: "write",
    idempotency: "once",
    quorum: () => "none",
    observe: () => Promise.resolve(null),
    plan: (_, call) => [{ action: shownCall(call) }],
    key: () => ({ at: 0 }),
    async *apply({ signal }, call) {
      if (run === undefined) {
        throw new RefusedError(notAllowed, {
          hint: "Allow them with --allow-commands",
        });
      }
      const { program } = call;
      yield { text: `running ${program}` };
      let ended;
      try {
        ended = await run(call, signal);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { outcome: "failed", reason: error.message };
      }
      const { status, stdout, stderr } = ended;
      Object.assign(seen, { status, data: dataIn(stdout) });
      const last = stderr.trimEnd().split("\n").at(-1)?.trim() ?? "";
      const why = last === "" ? "" : `: ${last}`;
      const reason = `${program} exited with status ${status}${why}`;
      return { outcome: good.includes(status) ? "done" : "failed", reason };
    },
    // It may still be running after a crash of its client.
    reconcile: () => Promise.resolve("unknown"),
    // deno-lint-ignore require-yield
    async *verify(): AsyncGenerator<never, Verdict> {
      return await Promise.resolve({
        outcome: "in-doubt",
        reason: "the result of the program is not known",
      });
    },
  };
}

const notAllowed = "Programs on this machine are not allowed";

function dataIn(stdout: string): Json {
  try {
    return JSON.parse(stdout);
  } catch {
    return stdout.replace(/\r?\n$/, "");
  }
}
