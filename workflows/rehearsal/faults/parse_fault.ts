/** Parser of faults: `<where>: <what> [@ <when>] [for <duration>] [times <n>]`. */

import { parseDuration } from "../../../lib/duration.ts";
import { ConfigError, type RpcCode, rpcCode } from "../../../errors.ts";
import { suggest } from "../../runbooks/language/match_shape.ts";
import {
  type FaultKind,
  faultKinds,
  type FaultMoment,
  type RehearsalFault,
  type Where,
} from "./fault.ts";

interface Word {
  readonly text: string;
  readonly column: number;
}

/** Syntax error in a fault. */
export class FaultError extends ConfigError {
  override readonly name: string = "FaultError";
  /** Column, from 1. */
  readonly column: number;

  /** Creates the error. `column`: its position, from 1. */
  constructor(text: string, column: number, message: string, hint: string) {
    super(`Cannot read fault "${text}": at ${column}: ${message}`, { hint });
    this.column = column;
  }
}

/** Parses a fault. Throws `FaultError` with the position, the wrong word, and the expected ones. */
export function parseFault(text: string): RehearsalFault {
  const end = text.search(/:(\s|$)/);
  if (end < 0) {
    throw new FaultError(
      text,
      text.length + 1,
      "the fault is missing",
      "Write <where>: <what>, such as node/worker-2: never-returns @ restart",
    );
  }
  const where = parseWhere(text, text.slice(0, end));
  const rest = splitWords(text, end + 1);
  const what = parseWhat(text, where, rest);
  const when = parseWhen(text, rest);
  return withSense(text, { text: text.trim(), where, ...what, ...when });
}

function splitWords(text: string, from: number): Word[] {
  return [...text.slice(from).matchAll(/@|[^\s@]+/g)].map((match) => ({
    text: match[0],
    column: from + match.index + 1,
  }));
}

const plain: ReadonlySet<string> = new Set([
  "runner",
  "disk",
  "clock",
  "k8s",
  "registry",
]);

const places = [...plain, "node/<name>", "etcd/<name>", "rpc/<Method>"];

function parseWhere(text: string, written: string): Where {
  const trimmed = written.trim();
  const column = text.indexOf(trimmed) + 1;
  const [kind = "", first = "", second, ...more] = trimmed.split("/");
  if (plain.has(trimmed)) {
    // The names of the set are kinds.
    return { kind: trimmed as "runner" };
  }
  const isNamed = first !== "" && more.length === 0;
  if ((kind === "node" || kind === "etcd") && isNamed && second === undefined) {
    return { kind, glob: first };
  }
  if (kind === "rpc" && isNamed) {
    return second === undefined
      ? { kind, method: first }
      : { kind, method: first, node: second };
  }
  throw new FaultError(
    text,
    column,
    `"${trimmed}" is not a target for faults`,
    `Known: ${places.join(", ")}`,
  );
}

type What = Pick<RehearsalFault, "what" | "ms" | "code">;

function parseWhat(text: string, { kind }: Where, rest: Word[]): What {
  const known = Object.entries(faultKinds[kind]);
  const word = rest.shift();
  let name = word?.text ?? "";
  // The only earlier name of two words.
  if (name === "alarm") name += ` ${rest.shift()?.text.toUpperCase()}`;
  const found = known.find(([own, { alias }]) =>
    own === name || alias === name
  );
  if (found === undefined) {
    const column = word?.column ?? text.length + 1;
    const message = word === undefined
      ? "the fault is missing"
      : `"${word.text}" is not a fault of ${kind}`;
    const names = known.map(([own]) => own);
    throw new FaultError(
      text,
      column,
      message,
      suggest(word?.text ?? "", names),
    );
  }
  const [own, { argument }] = found;
  // The keys of the table are kinds.
  const what = own as FaultKind;
  if (argument === undefined) return { what };
  const value = rest.shift();
  const read = value && readArgument[argument](value.text);
  // Only clocks go back.
  const isRight = read !== undefined &&
    ((read.ms ?? 0) >= 0 || what === "clock-skew");
  if (isRight) return { what, ...read };
  throw new FaultError(
    text,
    value?.column ?? text.length + 1,
    value === undefined
      ? `"${name}" needs a value`
      : `"${value.text}" is not a ${
        argument === "status" ? "gRPC status" : argument
      }`,
    rightArgument[argument],
  );
}

const rightArgument = {
  duration: "Give a duration such as 90s or 4m",
  status: `Known: ${Object.keys(rpcCode).join(", ")}`,
} as const;

const readArgument: Readonly<
  Record<
    keyof typeof rightArgument,
    (written: string) => Omit<What, "what"> | undefined
  >
> = {
  duration(written) {
    const ms = parseDuration(written);
    return ms === undefined ? undefined : { ms };
  },
  status(written) {
    const code = written.toUpperCase().replaceAll("-", "_");
    // Checked on the same line.
    return Object.hasOwn(rpcCode, code) ? { code: code as RpcCode } : undefined;
  },
};

type When = Pick<RehearsalFault, "at" | "forMs" | "times">;

function parseWhen(text: string, rest: Word[]): When {
  let at: FaultMoment = { kind: "start" };
  let forMs: number | undefined;
  let times: number | undefined;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const wrong = (message: string, hint: string, at?: Word) =>
      new FaultError(text, at?.column ?? text.length + 1, message, hint);
    const value = rest.shift();
    switch (word.text) {
      case "@":
        at = parseMoment(value, rest, wrong);
        break;
      case "for":
        forMs = value && parseDuration(value.text);
        if (forMs === undefined || forMs < 0) {
          throw wrong(
            value
              ? `"${value.text}" is not a duration`
              : "the duration is missing",
            rightArgument.duration,
            value,
          );
        }
        break;
      case "times":
        times = value && wholeNumber(value.text);
        if (times === undefined) {
          throw wrong(
            value
              ? `"${value.text}" is not a number`
              : "the number of times is missing",
            "Give a whole number from 1",
            value,
          );
        }
        break;
      default:
        throw wrong(
          `unexpected "${word.text}"`,
          "Continue with @ <when>, for <duration> or times <n>",
          word,
        );
    }
  }
  return {
    at,
    ...(forMs === undefined ? {} : { forMs }),
    ...(times === undefined ? {} : { times }),
  };
}

function parseMoment(
  word: Word | undefined,
  rest: Word[],
  wrong: (message: string, hint: string, at?: Word) => FaultError,
): FaultMoment {
  const hint =
    "Give a step such as controlplane/*, record 57, call 12, or a time such as 4m";
  if (word === undefined) throw wrong("the trigger is missing", hint);
  const { text } = word;
  if (text === "record" || text === "call") {
    const value = rest.shift();
    const number = value && wholeNumber(value.text);
    if (number !== undefined) return { kind: text, number };
    throw wrong(
      value
        ? `"${value.text}" is not a number`
        : `number of the ${text} is missing`,
      "Give a whole number from 1",
      value,
    );
  }
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 0) return { kind: "time", ms };
  if (/^[\w*-]+(\/[\w*-]+)*$/.test(text)) return { kind: "step", glob: text };
  throw wrong(`"${text}" is not a trigger`, hint, word);
}

function wholeNumber(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Refuses faults that are well-formed but meaningless. */
function withSense(text: string, fault: RehearsalFault): RehearsalFault {
  const { where, what, at } = fault;
  if (what === "kill-before" && at.kind !== "record") {
    throw new FaultError(
      text,
      text.length + 1,
      "kill-before needs a record",
      "Add @ record 57, or use kill",
    );
  }
  if (what === "joins" && where.kind === "node" && !isRole(where.glob)) {
    throw new FaultError(
      text,
      text.indexOf("/") + 2,
      `"${where.glob}" is not a role`,
      "Write node/controlplane: joins, or node/worker: joins",
    );
  }
  return fault;
}

function isRole(text: string): boolean {
  return text === "controlplane" || text === "worker";
}
