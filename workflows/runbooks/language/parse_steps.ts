/** Builds the engine's steps from a parsed document. Problems are reported before: wrong values count as absent. */

import type { Cursor } from "../../../config/documents/cursor.ts";
import type { Json } from "../../../lib/json.ts";
import type {
  Backoff,
  GateCheck,
  Retry,
  Runbook,
  RunbookInput,
  SourcePosition,
  Step,
  StepHead,
  Strategy,
  VerbOf,
} from "../runbook.ts";
import type { Template } from "../../runbook_cel/field.ts";
import { coreValue } from "../../../config/tree/core_value.ts";
import { remember } from "./source_places.ts";
import { type ErrorCode, errorCodes } from "../../operations/change.ts";

/** Context for the steps of a file. */
export interface Making {
  /** Place of the file, for parts without one. */
  readonly place: SourcePosition;
  readonly inputs: Readonly<Record<string, RunbookInput>>;
  /** Runbook of a `use`; a stand-in when it cannot be loaded. */
  readonly used: (target: string) => Runbook;
}

/** Makes steps. */
export function parseSteps(list: Cursor, making: Making): readonly Step[] {
  return list.items().flatMap((item) => {
    const { node } = item;
    if (node?.kind !== "map") return [];
    const verb = parseVerb(item, making);
    return verb === undefined
      ? []
      : [remember<Step>({ ...parseHead(item, making), ...verb }, node)];
  });
}

/** Object with one member, or none. */
export function optionalField<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  if (value === undefined) return {};
  // A computed key has type string.
  return { [name]: value } as { readonly [Key in Name]: Value };
}

/** Value of a key; `undefined` when absent. */
export function parseTemplate(at: Cursor): Template | undefined {
  return at.node === undefined ? undefined : coreValue(at.node);
}

/** Values of a mapping by name; empty for other nodes. */
export function parseTemplates(at: Cursor): Readonly<Record<string, Template>> {
  return at.node?.kind === "map"
    ? coreValue(at.node) as Readonly<Record<string, Json>>
    : {};
}

/** Texts of a list, or a single text. */
export function parseTexts(at: Cursor): readonly string[] {
  const one = at.text();
  if (one !== undefined) return [one];
  return at.items().flatMap((item) => item.text() ?? []);
}

function parseHead(at: Cursor, { place }: Making): StepHead {
  return {
    id: at.get("id").text() ?? "",
    ...optionalField("title", at.get("title").text()),
    ...optionalField("when", at.get("when").text()),
    onFailure: at.get("onFailure").text() === "continue" ? "continue" : "fail",
    pointOfNoReturn: at.get("pointOfNoReturn").truth() ?? false,
    place: at.node?.at ?? place,
  };
}

type VerbMaker = (at: Cursor, making: Making) => VerbOf;

const makers: Readonly<Record<string, VerbMaker>> = {
  run: (at) => ({
    verb: "run",
    module: at.get("run").text() ?? "",
    with: parseTemplates(at.get("with")),
    ...optionalField("timeout", parseTemplate(at.get("timeout"))),
    ...optionalField("retry", parseRetry(at.get("retry"))),
    ...parseUntil(at.get("until")),
  }),
  gate: (at, making) => ({
    verb: "gate",
    checks: parseChecks(at.get("gate"), making),
    within: parseTemplate(at.get("within")) ?? "5m",
    ...optionalField("holdFor", parseTemplate(at.get("holdFor"))),
  }),
  approve: (at) => ({
    verb: "approve",
    tag: at.get("approve", "tag").text() ?? "",
    message: at.get("approve", "message").text() ?? "",
    destructive: at.get("approve", "destructive").truth() ?? false,
    ...optionalField("typed", at.get("approve", "typed").text()),
    ...optionalField("timeout", parseTemplate(at.get("approve", "timeout"))),
  }),
  assert: (at) => {
    const that = at.get("assert", "that").text() ?? "true";
    return {
      verb: "assert",
      that,
      message: at.get("assert", "message").text() ??
        `This condition is false: ${that}`,
    };
  },
  decide: (at) => ({
    verb: "decide",
    name: at.get("decide", "name").text() ?? "",
    value: parseTemplate(at.get("decide", "value")) ?? null,
  }),
  sleep: (at) => ({
    verb: "sleep",
    duration: parseTemplate(at.get("sleep")) ?? "0s",
  }),
  forEach: (at, making) => ({
    verb: "forEach",
    nodes: at.get("forEach").text() ?? at.get("forEach", "nodes").text() ?? "",
    strategy: parseStrategy(at.get("forEach", "strategy")),
    steps: parseSteps(at.get("steps"), making),
    rescue: parseSteps(at.get("rescue"), making),
    always: parseSteps(at.get("always"), making),
  }),
  block: (at, making) => ({
    verb: "block",
    steps: parseSteps(at.get("block"), making),
    rescue: parseSteps(at.get("rescue"), making),
    always: parseSteps(at.get("always"), making),
  }),
  use: parseUse,
};

function parseVerb(at: Cursor, making: Making): VerbOf | undefined {
  const keys = new Set(at.entries().map(([key]) => key));
  const maker = Object.keys(makers).find((verb) => keys.has(verb));
  return maker === undefined ? undefined : makers[maker]?.(at, making);
}

function parseRetry(at: Cursor): Retry | undefined {
  if (at.node === undefined) return undefined;
  const on = at.get("on").node === undefined
    ? undefined
    : parseTexts(at.get("on")).filter(isErrorCode);
  return {
    attempts: at.number() ?? at.get("attempts").number() ?? 1,
    backoff: parseBackoff(at.get("backoff")),
    ...optionalField("on", on),
  };
}

function isErrorCode(text: string): text is ErrorCode {
  return (errorCodes as readonly string[]).includes(text);
}

function parseBackoff(at: Cursor): Backoff {
  const factor = coreValue(at.get("factor").node);
  return {
    initial: at.get("initial").text() ?? "2s",
    factor: typeof factor === "number" ? factor : 2,
    max: at.get("max").text() ?? "1m",
    jitter: at.get("jitter").text() === "none" ? "none" : "full",
  };
}

function parseUntil(at: Cursor) {
  if (at.node === undefined) return {};
  return {
    until: {
      condition: at.get("condition").text() ?? "true",
      poll: parseTemplate(at.get("poll")) ?? "2s",
      timeout: parseTemplate(at.get("timeout")) ?? "5m",
    },
  };
}

function parseChecks(at: Cursor, making: Making): readonly GateCheck[] {
  const items = at.node?.kind === "list" ? at.items() : [at];
  return items.flatMap((item) => {
    const check = item.text() ?? item.get("check").text();
    if (check === undefined || item.node === undefined) return [];
    return [remember<GateCheck>({
      check,
      with: parseTemplates(item.get("with")),
      ...optionalField("when", item.get("when").text()),
      place: item.node.at ?? making.place,
    }, item.node)];
  });
}

function parseStrategy(at: Cursor): Strategy {
  return {
    batch: parseTemplate(at.get("batch")) ?? 1,
    ...optionalField("maxUnavailable", parseTemplate(at.get("maxUnavailable"))),
    maxFailures: parseTemplate(at.get("maxFailures")) ?? 0,
  };
}

function parseUse(at: Cursor, { used, inputs }: Making): VerbOf<"use"> {
  const runbook = used(at.get("use").text() ?? "");
  const own = parseTemplates(at.get("with"));
  const passed = at.get("pass").text() === undefined
    ? []
    : Object.keys(runbook.inputs).filter((name) => Object.hasOwn(inputs, name));
  const same = passed.map((name) => [name, `\${{ inputs.${name} }}`] as const);
  return {
    verb: "use",
    runbook,
    with: { ...Object.fromEntries(same), ...own },
  };
}
