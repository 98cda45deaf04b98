/** Runs one command line in this process, against fake nodes. */

import { entries } from "../commands/_index.ts";
import type { ClaimSignals } from "../commands/_kit/command.ts";
import { complete } from "../commands/_kit/completion.ts";
import { main, type SessionRequest } from "../commands/_kit/main.ts";
import type { Nodes } from "../transport/node/nodes.ts";
import type { Environment } from "../terminal/environment.ts";
import { bare, type FakeNodes, fakeNodes } from "./_fake.ts";

export interface Ran {
  readonly out: string;
  /** Standard output as bytes. */
  readonly bytes: Uint8Array;
  readonly err: string;
  readonly status: number;
}

export interface RunOptions {
  /** Environment, empty unless given. */
  readonly env?: Readonly<Record<string, string>>;
  /** The present, or a clock that tells it; 2026-01-02T03:04:05Z unless given. */
  readonly now?: Date | (() => Date);
  readonly signal?: AbortSignal;
  /** Takes what signals mean for a command that wants to know. */
  readonly claimSignals?: ClaimSignals;
  /** Terminal width; omitted, nothing is a terminal. */
  readonly columns?: number;
  readonly stdin?: string | ReadableStream<Uint8Array>;
  /** True if it is typed at a terminal; default false. */
  readonly typed?: boolean;
  /** Keys that are pressed on a terminal of 30 rows; omitted, there is no full screen. */
  readonly keys?: ReadableStream<Uint8Array>;
  /** Files by path, for `@file` values. */
  readonly files?: Readonly<Record<string, string>>;
  /** Sees what was written to standard output so far. */
  readonly onWrite?: (out: string) => void;
  /** Resolves when the reader of standard output is gone. */
  readonly readerGone?: Promise<void>;
  /** Opens the nodes, instead of the fake ones. */
  readonly open?: (request: SessionRequest) => Nodes;
  /** Sees what the session was asked for. */
  readonly onOpen?: (request: SessionRequest) => void;
}

/**
 * Runs a command line.
 *
 * @param line Words separated by spaces, or a list of words.
 * @param nodes Handlers by node; a handler that is never asked fails the test.
 * @param options Streams, environment, clock.
 */
export async function run(
  line: string | readonly string[],
  nodes: FakeNodes = {},
  options: RunOptions = {},
): Promise<Ran> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const signal = options.signal ?? new AbortController().signal;
  const fakes = fakeNodes(nodes, signal);
  const argv = typeof line === "string"
    ? line.split(" ").filter((word) => word !== "")
    : line;
  const status = await main(argv, {
    entries,
    environment: fakeEnvironment(out, err, options),
    open(request) {
      options.onOpen?.(request);
      return options.open?.(request) ?? fakes.nodes;
    },
    readFile: (path) => readFile(path, options),
    complete,
    signal,
    ...(options.claimSignals === undefined
      ? {}
      : { claimSignals: options.claimSignals }),
  });
  const unused = fakes.unused();
  if (unused.length > 0) {
    throw new Error(`Never asked: ${unused.join(", ")}\n${decode(err)}`);
  }
  return { out: decode(out), bytes: join(out), err: decode(err), status };
}

/**
 * Runs a command line that names all the fake nodes, as what changes them has to; `a` where there is none.
 *
 * @param line Words separated by spaces, or a list of words.
 * @param nodes Handlers by node.
 * @param options Streams, environment, clock.
 */
export function runOn(
  line: string | readonly string[],
  nodes: FakeNodes = {},
  options: RunOptions = {},
): Promise<Ran> {
  const words = typeof line === "string"
    ? line.split(" ").filter((word) => word !== "")
    : line;
  if (words.includes("--nodes") || words.includes("-n")) {
    return run(words, nodes, options);
  }
  const names = Object.keys(nodes).filter((name) =>
    name !== "" && !name.startsWith(bare)
  );
  const named = names.length === 0 ? "a" : names.join(",");
  return run(["--nodes", named, ...words], nodes, options);
}

function fakeEnvironment(
  out: Uint8Array[],
  err: Uint8Array[],
  options: RunOptions,
): Environment {
  const { env = {}, columns } = options;
  const sink = (into: Uint8Array[]) => ({
    terminal: columns !== undefined,
    columns: () => columns,
    write(bytes: Uint8Array) {
      into.push(bytes.slice());
      return Promise.resolve();
    },
  });
  const seen = sink(out);
  return {
    stdout: {
      ...seen,
      ...options.readerGone && {
        onReaderGone(act) {
          let isForgotten = false;
          options.readerGone?.then(() => isForgotten || act());
          return () => void (isForgotten = true);
        },
      },
      async write(bytes) {
        await seen.write(bytes);
        options.onWrite?.(decode(out));
      },
    },
    stderr: sink(err),
    stdin: {
      terminal: options.typed ?? options.keys !== undefined,
      readable: options.keys ??
        (options.stdin instanceof ReadableStream
          ? options.stdin
          : new Blob([options.stdin ?? ""]).stream()),
    },
    ...options.keys === undefined ? {} : {
      screen: { size: () => ({ columns: columns ?? 80, rows: 30 }), raw() {} },
    },
    env: (name) => env[name],
    now: () =>
      typeof options.now === "function"
        ? options.now()
        : options.now ?? new Date("2026-01-02T03:04:05Z"),
    os: "linux",
  };
}

function readFile(path: string, { files = {} }: RunOptions): Promise<string> {
  const text = files[path];
  return text === undefined
    ? Promise.reject(new Deno.errors.NotFound(`No such file: ${path}`))
    : Promise.resolve(text);
}

function decode(parts: readonly Uint8Array[]): string {
  return new TextDecoder().decode(join(parts));
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
