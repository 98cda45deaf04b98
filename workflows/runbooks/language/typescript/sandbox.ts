/**
 * The place where a runbook in TypeScript is called: a worker without rights,
 * in which time stands still, chance is the same each time, and nothing is imported.
 *
 * This file is only taken as text; what is imported is handed in as URLs.
 */

import * as modules from "node:module";

/** What the worker is given. */
export interface Errand {
  readonly library: string;
  readonly program: string;
}

/** A place in a program. */
export interface ProgramPlace {
  readonly line: number;
  readonly column: number;
}

/** A part of a document, and where the program made it. */
export interface Call extends ProgramPlace {
  /** Keys and indices of the part; none for the whole document. */
  readonly path: readonly (string | number)[];
}

/** What a program has made. */
export interface BuiltDocument {
  readonly document: string;
  /** Calls that made its parts, those around others first. */
  readonly calls: readonly Call[];
}

/** What the worker says at last. */
export interface SandboxReply {
  /** Document as JSON; absent when it failed. */
  readonly document?: string;
  /** Calls that made the document; absent when it failed. */
  readonly calls?: readonly Call[];
  readonly fault?: string;
  /** First module that the program asked the runtime for; absent when it asked for none. */
  readonly imported?: string;
  /** Where it failed; `export`: what the default export is; absent when that is unknown. */
  readonly at?: ProgramPlace | "export";
  /** Rights that the worker has and should not have. */
  readonly rights: readonly string[];
}

/** What the worker says: that the program is next, then what came of it. */
export type Said = "started" | SandboxReply;

/** Names that stay; everything else that is not of the language itself goes. */
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

/** The present of all runbooks: midnight of 1 January 2026. */
const present = 1_767_225_600_000;

async function rightsOf(): Promise<string[]> {
  const names = ["read", "write", "net", "env", "run", "sys", "ffi"] as const;
  const states = await Promise.all(
    names.map((name) => Deno.permissions.query({ name })),
  );
  return names.filter((_, index) => states[index]?.state === "granted");
}

/** Takes away what a function that only computes does not need. */
function confine(): void {
  const kept = new Set<PropertyKey>([...language, ...harmless]);
  for (const key of Reflect.ownKeys(globalThis)) {
    // By its symbols the runtime tells the program of errors; without them it prints them.
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
  // Calls without `new` write the present, as those of the real one do.
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

/** What the runtime has and its types lack. Source: `module.registerHooks` of Node 22. */
const { registerHooks } = modules as unknown as {
  readonly registerHooks: (hooks: {
    readonly resolve: <Context, Found>(
      specifier: string,
      context: Context,
      next: (specifier: string, context: Context) => Found,
    ) => Found;
  }) => void;
};

/** Modules the program asked for: the runtime resolves each of them here, however it is written. */
const imported: string[] = [];

function refuseImports(program: string): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === program) return next(specifier, context);
      imported.push(specifier);
      // An error would reach nobody where the program does not wait for it.
      return next("data:text/javascript,", context);
    },
  });
}

const channel = globalThis as unknown as {
  onmessage: (event: MessageEvent<Errand>) => Promise<void>;
  readonly postMessage: (said: Said) => void;
};

/** Deepest call of the library that a place is found under. */
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
  // An import that nobody waits for is resolved in a turn of its own.
  const { promise: nextTurn, resolve: turn } = Promise.withResolvers<void>();
  const later = setTimeout.bind(globalThis);
  const rights = await rightsOf();
  if (rights.length > 0) return say({ rights });
  // Line and column are those of the source: the runtime maps them back.
  const place = new RegExp(`${RegExp.escape(data.program)}:(\\d+):(\\d+)`);
  const placeIn = (stack: unknown): ProgramPlace | undefined => {
    const found = place.exec(String(stack));
    return found === null
      ? undefined
      : { line: Number(found[1]), column: Number(found[2]) };
  };
  try {
    const { makeApi, documentText, callsIn } = await import(data.library);
    refuseImports(data.program);
    confine();
    Error.stackTraceLimit = frames;
    say("started");
    const program = await import(data.program);
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
    const at = placeIn(error.stack) ?? "export";
    say({ fault: faultIn(error, data.program), at, rights });
  }
};

/** What went wrong, without the picture and the address that the runtime adds to faults of syntax. */
function faultIn({ message }: Error, url: string): string {
  if (!message.includes(url)) return message;
  const [first = ""] = message.split("\n");
  return first.split(` at ${url}`)[0]?.replace(/^SyntaxError: /, "") ?? first;
}
