/** Evaluates a TypeScript runbook in a worker without permissions. */

import { ConfigError } from "../../../../errors.ts";
import { ProgramError } from "../problem.ts";
import library from "./library.ts" with { type: "text" };
import type {
  BuiltDocument,
  Call,
  Errand,
  ProgramPlace,
  Said,
  SandboxReply,
} from "./sandbox.ts";
import sandbox from "./sandbox.ts" with { type: "text" };

/** Timeout for the start of a worker, in milliseconds; it depends on the machine, not the program. */
const startMs = 60_000;

interface EvaluateOptions {
  /** Timeout of one call, without the start of its worker, in milliseconds; default 5 s. */
  readonly timeoutMs?: number;
}

/**
 * Calls a program twice, in fresh workers, and compares the results.
 *
 * @returns Document as JSON, and the calls that made it.
 * @throws {ProgramError} If it fails, times out, or is not deterministic.
 */
export async function evaluateProgram(
  name: string,
  text: string,
  { timeoutMs = 5_000 }: EvaluateOptions = {},
): Promise<BuiltDocument> {
  const [first, second] = [
    await callOnce(name, text, timeoutMs),
    await callOnce(name, text, timeoutMs),
  ];
  if (first.document === second.document) return first;
  throw new ProgramError(
    name,
    "it returns a different runbook each time it is called",
    {
      at: exportIn(text),
      hint: "Use only inputs, not the time, random numbers or the machine",
    },
  );
}

async function callOnce(
  name: string,
  text: string,
  timeoutMs: number,
): Promise<BuiltDocument> {
  using texts = new DisposableStack();
  const formatUrl = (program: string) => {
    const blob = new Blob([program], { type: "application/typescript" });
    const url = URL.createObjectURL(blob);
    texts.defer(() => URL.revokeObjectURL(url));
    return url;
  };
  const program = { text, name: `runbook:${crypto.randomUUID()}` };
  const errand = { library: formatUrl(library), program };
  const answer = await readReply(formatUrl(sandbox), errand, timeoutMs);
  if (answer === undefined) {
    throw new ProgramError(
      name,
      `it did not finish within ${timeoutMs / 1_000} s`,
      { at: exportIn(text), hint: "Look for an endless loop" },
    );
  }
  const { document, calls = [], fault = "", at, rights, imported } = answer;
  if (imported !== undefined) {
    throw new ProgramError(name, `it imports "${imported}"`, {
      at: placeIn(text, imported),
      hint: "Only import type is allowed; put everything into one file",
    });
  }
  if (document !== undefined) return { document, calls: withRoot(calls, text) };
  if (rights.length > 0) throw notConfined(name, rights);
  throw new ProgramError(name, fault, {
    at: at === "export" ? exportIn(text) : at,
  });
}

/** Attributes hand-made documents to the default export. */
function withRoot(calls: readonly Call[], text: string): readonly Call[] {
  const root = exportIn(text);
  return root === undefined || calls.some(({ path }) => path.length === 0)
    ? calls
    : [{ path: [], ...root }, ...calls];
}

function placeIn(program: string, text: string): ProgramPlace | undefined {
  const at = program.indexOf(text);
  if (at < 0) return undefined;
  const lines = program.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/** Position of the default export; `undefined` when no line starts with one. */
function exportIn(text: string): ProgramPlace | undefined {
  const lines = text.split("\n");
  const index = lines.findIndex((line) => /^\s*export\s+default\b/.test(line));
  const column = (lines[index]?.indexOf("export") ?? -1) + 1;
  return index < 0 ? undefined : { line: index + 1, column };
}

function notConfined(name: string, rights: readonly string[]): ConfigError {
  return new ConfigError(
    `Cannot use "${name}": it would be allowed to ${rights.join(", ")}`,
    { hint: "Write the runbook as YAML, and report this bug" },
  );
}

/** Sends a job to a worker; `undefined` on timeout. */
async function readReply(
  url: string,
  errand: Errand,
  timeoutMs: number,
): Promise<SandboxReply | undefined> {
  const worker = new Worker(url, {
    type: "module",
    deno: { permissions: "none" },
  });
  const { promise, resolve } = Promise.withResolvers<
    SandboxReply | undefined
  >();
  let timer = setTimeout(() => {
    const fault = `its worker did not start within ${startMs / 1_000} s`;
    resolve({ fault, rights: [] });
  }, startMs);
  worker.onmessage = ({ data }: MessageEvent<Said>) => {
    if (data !== "started") return resolve(data);
    clearTimeout(timer);
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    resolve({ fault: event.message, rights: [] });
  };
  worker.postMessage(errand);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
