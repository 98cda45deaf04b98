/** Steps as the engine runs them, from what was read. Problems have been reported before: here, wrong values are as good as absent. */

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
import type { Template } from "../../expression/field.ts";
import { coreValue } from "../../../config/tree/core_value.ts";
import { remember } from "./source_places.ts";
import { type ErrorCode, errorCodes } from "../../operations/change.ts";

/** What the steps of a file are made with. */
export interface Making {
  /** Place of the file, for what has none. */
  readonly place: SourcePosition;
  readonly inputs: Readonly<Record<string, RunbookInput>>;
  /** The runbook that `use` names; a stand-in when it cannot be had. */
  readonly used: (target: string) => Runbook;
}

/** Makes steps. */
export function stepsOf(list: Cursor, making: Making): readonly Step[] {
  return list.items().flatMap((item) => {
    const { node } = item;
    if (node?.kind !== "map") return [];
    const verb = verbOf(item, making);
    return verb === undefined
      ? []
      : [remember<Step>({ ...headOf(item, making), ...verb }, node)];
  });
}

/** A member, or nothing. */
export function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  if (value === undefined) return {};
  // A computed key is typed as any text.
  return { [name]: value } as { readonly [Key in Name]: Value };
}

/** The value of a key; `undefined` when there is none. */
export function templateOf(at: Cursor): Template | undefined {
  return at.node === undefined ? undefined : coreValue(at.node);
}

/** Values of a mapping by their names; empty for anything else. */
export function templatesOf(at: Cursor): Readonly<Record<string, Template>> {
  return at.node?.kind === "map"
    ? coreValue(at.node) as Readonly<Record<string, Json>>
    : {};
}

/** Texts of a list, or of the one that is alone. */
export function textsOf(at: Cursor): readonly string[] {
  const one = at.text();
  if (one !== undefined) return [one];
  return at.items().flatMap((item) => item.text() ?? []);
}

function headOf(at: Cursor, { place }: Making): StepHead {
  return {
    id: at.get("id").text() ?? "",
    ...given("title", at.get("title").text()),
    ...given("when", at.get("when").text()),
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
    with: templatesOf(at.get("with")),
    ...given("timeout", templateOf(at.get("timeout"))),
    ...given("retry", retryOf(at.get("retry"))),
    ...untilOf(at.get("until")),
  }),
  gate: (at, making) => ({
    verb: "gate",
    checks: checksOf(at.get("gate"), making),
    within: templateOf(at.get("within")) ?? "5m",
    ...given("holdFor", templateOf(at.get("holdFor"))),
  }),
  approve: (at) => ({
    verb: "approve",
    tag: at.get("approve", "tag").text() ?? "",
    message: at.get("approve", "message").text() ?? "",
    destructive: at.get("approve", "destructive").truth() ?? false,
    ...given("typed", at.get("approve", "typed").text()),
    ...given("timeout", templateOf(at.get("approve", "timeout"))),
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
    value: templateOf(at.get("decide", "value")) ?? null,
  }),
  sleep: (at) => ({
    verb: "sleep",
    duration: templateOf(at.get("sleep")) ?? "0s",
  }),
  forEach: (at, making) => ({
    verb: "forEach",
    nodes: at.get("forEach").text() ?? at.get("forEach", "nodes").text() ?? "",
    strategy: strategyOf(at.get("forEach", "strategy")),
    steps: stepsOf(at.get("steps"), making),
    rescue: stepsOf(at.get("rescue"), making),
    always: stepsOf(at.get("always"), making),
  }),
  block: (at, making) => ({
    verb: "block",
    steps: stepsOf(at.get("block"), making),
    rescue: stepsOf(at.get("rescue"), making),
    always: stepsOf(at.get("always"), making),
  }),
  use: useOf,
};

function verbOf(at: Cursor, making: Making): VerbOf | undefined {
  const keys = new Set(at.entries().map(([key]) => key));
  const maker = Object.keys(makers).find((verb) => keys.has(verb));
  return maker === undefined ? undefined : makers[maker]?.(at, making);
}

function retryOf(at: Cursor): Retry | undefined {
  if (at.node === undefined) return undefined;
  const on = at.get("on").node === undefined
    ? undefined
    : textsOf(at.get("on")).filter(isErrorCode);
  return {
    attempts: at.number() ?? at.get("attempts").number() ?? 1,
    backoff: backoffOf(at.get("backoff")),
    ...given("on", on),
  };
}

function isErrorCode(text: string): text is ErrorCode {
  return (errorCodes as readonly string[]).includes(text);
}

function backoffOf(at: Cursor): Backoff {
  const factor = coreValue(at.get("factor").node);
  return {
    initial: at.get("initial").text() ?? "2s",
    factor: typeof factor === "number" ? factor : 2,
    max: at.get("max").text() ?? "1m",
    jitter: at.get("jitter").text() === "none" ? "none" : "full",
  };
}

function untilOf(at: Cursor) {
  if (at.node === undefined) return {};
  return {
    until: {
      condition: at.get("condition").text() ?? "true",
      poll: templateOf(at.get("poll")) ?? "2s",
      timeout: templateOf(at.get("timeout")) ?? "5m",
    },
  };
}

function checksOf(at: Cursor, making: Making): readonly GateCheck[] {
  const items = at.node?.kind === "list" ? at.items() : [at];
  return items.flatMap((item) => {
    const check = item.text() ?? item.get("check").text();
    if (check === undefined || item.node === undefined) return [];
    return [remember<GateCheck>({
      check,
      with: templatesOf(item.get("with")),
      ...given("when", item.get("when").text()),
      place: item.node.at ?? making.place,
    }, item.node)];
  });
}

function strategyOf(at: Cursor): Strategy {
  return {
    batch: templateOf(at.get("batch")) ?? 1,
    ...given("maxUnavailable", templateOf(at.get("maxUnavailable"))),
    maxFailures: templateOf(at.get("maxFailures")) ?? 0,
  };
}

function useOf(at: Cursor, { used, inputs }: Making): VerbOf<"use"> {
  const runbook = used(at.get("use").text() ?? "");
  const own = templatesOf(at.get("with"));
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
