/**
 * Sandbox of TypeScript runbooks: a worker without permissions,
 * with a fixed clock, deterministic random numbers, and no imports.
 *
 * This file is only used as text. The runtime loads the library from its URL, but not the program: its loader connects
 * to the imports and source map of a program before it checks permissions.
 */

import * as modules from "node:module";
import * as vm from "node:vm";

/** Job of the worker. */
export interface Errand {
  /** URL of the library. */
  readonly library: string;
  /** Text of the program, and its name in stack traces. */
  readonly program: { readonly text: string; readonly name: string };
}

/** A position in a program. */
export interface ProgramPlace {
  readonly line: number;
  readonly column: number;
}

/** A part of a document, and the position of its call in the program. */
export interface Call extends ProgramPlace {
  /** Keys and indices of the part; empty for the whole document. */
  readonly path: readonly (string | number)[];
}

/** Document made by a program. */
export interface BuiltDocument {
  readonly document: string;
  /** Calls that made its parts, outer ones first. */
  readonly calls: readonly Call[];
}

/** Final message of the worker. */
export interface SandboxReply {
  /** Document as JSON; absent on failure. */
  readonly document?: string;
  /** Calls that made the document; absent on failure. */
  readonly calls?: readonly Call[];
  readonly fault?: string;
  /** First module that the program tried to import; absent when none. */
  readonly imported?: string;
  /** Position of the failure; `export`: the default export; absent when unknown. */
  readonly at?: ProgramPlace | "export";
  /** Permissions that the worker has and should not have. */
  readonly rights: readonly string[];
}

/** Messages of the worker: the start of the program, then its result. */
export type Said = "started" | SandboxReply;

/** Globals to keep; all others that are not part of the language are removed. */
const harmless = [
  "atob",
  "btoa",
  "structuredClone",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
];

const language =
  "Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set Iterator WeakMap WeakSet Proxy Reflect decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN"
    .split(" ");

/** Fixed time of all runbooks: midnight of 1 January 2026. */
const present = 1_767_225_600_000;

async function readRights(): Promise<string[]> {
  const names = ["read", "write", "net", "env", "run", "sys", "ffi"] as const;
  const states = await Promise.all(
    names.map((name) => Deno.permissions.query({ name })),
  );
  return names.filter((_, index) => states[index]?.state === "granted");
}

/** Removes globals that a pure function does not need. */
function confine(): void {
  const kept = new Set<PropertyKey>([...language, ...harmless]);
  for (const key of Reflect.ownKeys(globalThis)) {
    // The runtime reports errors to the program through symbols; without them it prints them.
    if (kept.has(key) || typeof key === "symbol") continue;
    if (!Reflect.deleteProperty(globalThis, key)) {
      Reflect.set(globalThis, key, undefined);
    }
  }
  stopTime();
  forbidText();
}

function stopTime(): void {
  const Real = Date;
  // Calls without `new` return the current time as text, as the real `Date` does.
  function ExpressionContext(...given: readonly unknown[]): unknown {
    if (new.target === undefined) return new Real(present).toString();
    return Reflect.construct(
      Real,
      given.length === 0 ? [present] : given,
      new.target,
    );
  }
  const { parse, UTC } = Real;
  Object.assign(ExpressionContext, { parse, UTC, now: () => present });
  ExpressionContext.prototype = Real.prototype;
  Reflect.set(Real.prototype, "constructor", ExpressionContext);
  Reflect.set(globalThis, "Date", ExpressionContext);
  let seed = 42;
  Math.random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
}

function forbidText(): void {
  function refuse(): never {
    throw new TypeError("Code in strings is not evaluated in a runbook");
  }
  const kinds = [
    function () {},
    async function () {},
    function* () {},
    async function* () {},
  ];
  for (const kind of kinds) {
    Object.defineProperty(Object.getPrototypeOf(kind), "constructor", {
      value: refuse,
    });
  }
  Reflect.set(globalThis, "Function", refuse);
  Reflect.set(globalThis, "eval", refuse);
}

/** Missing in the types of the runtime. Source: `module.stripTypeScriptTypes` of Node 22. */
const { stripTypeScriptTypes } = modules as unknown as {
  readonly stripTypeScriptTypes: (
    text: string,
    options?: { readonly mode: "strip" | "transform" },
  ) => string;
};

/** Missing in the types of the runtime. Source: `vm.SourceTextModule` of Node 22. */
const { SourceTextModule } = vm as unknown as {
  readonly SourceTextModule: new (text: string, options: {
    readonly identifier: string;
    readonly importModuleDynamically: (specifier: string) => never;
  }) => {
    readonly dependencySpecifiers: readonly string[];
    readonly namespace: object;
    readonly link: (linker: () => never) => Promise<void>;
    readonly evaluate: () => Promise<void>;
  };
};

/** Modules that the program tried to import. */
const imported: string[] = [];

/** Error in the text of the program. */
class FaultyText extends Error {
  constructor(message: string, readonly at: ProgramPlace | undefined) {
    super(message);
  }
}

/** Strips the types; positions stay the same. */
function withoutTypes(text: string): string {
  try {
    return stripTypeScriptTypes(text);
  } catch (error) {
    const [, what, ...place] =
      /^(TypeScript .+ is not supported) in strip-only mode at .*:(\d+):(\d+)$/
        .exec(toMessage(error)) ?? [];
    if (what !== undefined) throw new FaultyText(what, parsePlace(place));
    throw syntaxError(text) ?? new FaultyText("Syntax error", undefined);
  }
}

/** Finds the syntax error and its position with the other mode; `undefined` when there is none. */
function syntaxError(text: string): FaultyText | undefined {
  try {
    stripTypeScriptTypes(text, { mode: "transform" });
    return undefined;
  } catch (error) {
    const message = toMessage(error);
    const [, ...place] = / at .*:(\d+):(\d+)$/.exec(message) ?? [];
    const [first = ""] = message.replace(/^SyntaxError: /, "").split("\n");
    return new FaultyText(first, parsePlace(place));
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function parsePlace(
  [line, column]: readonly (string | undefined)[],
): ProgramPlace | undefined {
  return line === undefined
    ? undefined
    : { line: Number(line), column: Number(column) };
}

/** Parses the program. Imports are recorded, and refused. */
function parseProgram({ text, name }: Errand["program"]) {
  function refuse(specifier: string): never {
    imported.push(specifier);
    throw new TypeError("Nothing is imported in a runbook");
  }
  try {
    const program = new SourceTextModule(withoutTypes(text), {
      identifier: name,
      importModuleDynamically: refuse,
    });
    imported.push(...program.dependencySpecifiers);
    return program;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Stripping types ignores some errors, and the JavaScript engine does not report their positions.
    throw syntaxError(text) ?? error;
  }
}

const channel = globalThis as unknown as {
  onmessage: (event: MessageEvent<Errand>) => Promise<void>;
  readonly postMessage: (said: Said) => void;
};

/** Number of stack frames searched for a position in the program. */
const frames = 50;

channel.onmessage = async ({ data }) => {
  const post = channel.postMessage.bind(globalThis);
  const say = (said: Said) =>
    post(
      said === "started" || imported[0] === undefined
        ? said
        : { imported: imported[0], rights: said.rights },
    );
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    const { reason } = event;
    const at = placeIn(reason instanceof Error ? reason.stack : "") ?? "export";
    say({
      fault: reason instanceof Error ? reason.message : String(reason),
      at,
      rights: [],
    });
  });
  // An import that is not awaited resolves in a later turn of the event loop.
  const { promise: nextTurn, resolve: turn } = Promise.withResolvers<void>();
  const later = setTimeout.bind(globalThis);
  const rights = await readRights();
  if (rights.length > 0) return say({ rights });
  const place = new RegExp(
    `${RegExp.escape(data.program.name)}:(\\d+):(\\d+)`,
  );
  const placeIn = (stack: unknown): ProgramPlace | undefined =>
    parsePlace((place.exec(String(stack)) ?? []).slice(1));
  try {
    const { makeApi, documentText, callsIn } = await import(data.library);
    const parsed = parseProgram(data.program);
    if (imported.length > 0) return say({ rights });
    confine();
    Error.stackTraceLimit = frames;
    say("started");
    await parsed.link(() => {
      throw new TypeError("Nothing is imported in a runbook");
    });
    await parsed.evaluate();
    const program = parsed.namespace;
    if (!("default" in program)) {
      throw new TypeError(
        "There is no default export; write: export default (rb: Api) => …",
      );
    }
    if (typeof program.default !== "function") {
      throw new TypeError("The default export is not a function");
    }
    const made = program.default(
      makeApi(() => placeIn(new Error().stack)),
    );
    const built = { document: documentText(made), calls: callsIn(made) };
    later(turn, 0);
    await nextTurn;
    say({ ...built, rights });
  } catch (error) {
    if (!(error instanceof Error)) return say({ fault: String(error), rights });
    const at = error instanceof FaultyText
      ? error.at
      : placeIn(error.stack) ?? "export";
    say({ fault: error.message, ...at && { at }, rights });
  }
};
