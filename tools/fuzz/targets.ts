/** Fuzz targets: every parser of external input. Each returns a value or an expected error. */

import { gzipSync } from "node:zlib";
import { entries } from "../../commands/_index.ts";
import type { AnyCommand, IndexEntry } from "../../commands/_kit/command.ts";
import { compileTemplate } from "../../terminal/jsonpath/template.ts";
import { lazyNodes } from "../../transport/node/nodes.ts";
import { main } from "../../commands/_kit/main.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { checkExpression as checkNodeExpression } from "../../config/document_cel/check.ts";
import { parseOsconfig } from "../../config/osconfig/osconfig_file.ts";
import { ConfigError, OsctlError } from "../../errors.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePem } from "../../pki/pem.ts";
import { decodePrivateKey } from "../../pki/private_key.ts";
import { services } from "../../transport/call/client.ts";
import { frameReader } from "../../transport/call/frames.ts";
import { parseSpec } from "../../transport/node/resource_yaml.ts";
import { archiveEntries } from "../../lib/archive/entries.ts";
import { checkLinkText, checkName } from "../../lib/archive/entry_check.ts";
import { verifySnapshot } from "../../workflows/etcd/snapshot/verify.ts";
import {
  checkExpression,
  evaluate,
} from "../../workflows/runbook_cel/expression.ts";
import type { ValueFields } from "../../workflows/runbook_cel/field.ts";

/** Parses one input; throws only for bugs. */
type Target = (input: Uint8Array) => Promise<void> | void;

/** Parsers by the name of their seed folder. */
export const targets: Readonly<Record<string, Target>> = {
  "command-line": commandLine,
  jsonpath,
  cel,
  yaml,
  pem,
  frames,
  snapshot,
  archive,
  runbook,
};

async function commandLine(input: Uint8Array): Promise<void> {
  await run(decodeText(input).split("\n"), idle);
}

/** Runs a command line; it must succeed, or report bad input. */
async function run(
  argv: readonly string[],
  entries: readonly IndexEntry[],
): Promise<void> {
  const err: string[] = [];
  const sink = (into: string[]) => ({
    terminal: false,
    columns: () => undefined,
    write(bytes: Uint8Array) {
      into.push(new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
  });
  const status = await main(argv, {
    entries,
    environment: {
      stdout: sink([]),
      stderr: sink(err),
      stdin: { terminal: false, readable: new Blob([]).stream() },
      env: () => undefined,
      now: () => new Date(0),
      os: "linux",
    },
    open: () =>
      lazyNodes(() => Promise.reject(new ConfigError("There are no nodes"))),
    readFile: (path) => Promise.reject(new ConfigError(`No "${path}"`)),
    complete: () => Promise.resolve(""),
    signal: new AbortController().signal,
  });
  const text = err.join("");
  // A refusal (5) may result from missing node names.
  const fine = status === 0 || status === 2 || status === 5;
  if (!fine || text.includes("This is a bug")) {
    throw new Error(`status ${status}: ${text}`);
  }
}

/** Commands that parse input but do nothing. */
const idle: readonly IndexEntry[] = entries.map(({ load, ...entry }) => ({
  ...entry,
  ...load && {
    load: async () => {
      const { command } = await load();
      let runs = 0;
      const still: AnyCommand = {
        ...command,
        async *run() {
          // With --watch it would run forever.
          if (++runs > 1) throw new ConfigError("It runs once");
          yield* [];
        },
      };
      return { command: still };
    },
  },
}));

const document = {
  node: "10.0.0.2",
  metadata: { id: "eth0", version: 3, labels: { "a/b": "1" } },
  spec: { up: true, mtu: 1500n, list: ["a", "b", { c: [1, 2, null] }] },
};

function jsonpath(input: Uint8Array): void {
  expectMeant(() => compileTemplate(decodeText(input))(document));
}

const text = { type: "string", summary: "" } as const;
const names: ValueFields = {
  s: text,
  i: { type: "int", summary: "" },
  l: { type: "list", summary: "", items: text },
  m: { type: "map", summary: "", items: { type: "any", summary: "" } },
  d: { type: "duration", summary: "" },
  x: { type: "any", summary: "" },
};
const values = {
  s: "text",
  i: 7,
  l: ["a", "b", "c"],
  m: { a: 1, b: [true, null] },
  d: "1h30m",
  x: { y: [{ z: "v1.13.4" }] },
};

function cel(input: Uint8Array): void {
  const source = decodeText(input);
  const world = { reached: () => true, now: () => 0 };
  expectMeant(() => checkExpression(source, names));
  expectMeant(() => evaluate(source, names, values, world));
  expectMeant(() => checkNodeExpression(source, "disk"));
}

async function yaml(input: Uint8Array): Promise<void> {
  const source = decodeText(input);
  expectMeant(() => encodeDocuments(loadDocuments(source, "f").documents));
  expectMeant(() => parseSpec(source));
  await expectMeantLater(() => parseOsconfig(source, "f"));
}

function pem(input: Uint8Array): void {
  expectMeant(() => decodePrivateKey(input));
  expectMeant(() => {
    for (const { der } of decodePem(input)) {
      expectMeant(() => inspectCertificate(der));
    }
  });
  expectMeant(() => inspectCertificate(input));
}

const types = await Promise.all(
  Object.values(services).flatMap((service) =>
    Object.values(service.methods).map((method) => method.types())
  ),
);
const responses = types.map(([, response]) => response);

/** The first byte selects the message, and how the rest is split. */
function frames(input: Uint8Array): void {
  const [first = 0, ...rest] = input;
  const size = 1 + first % 7;
  const reader = frameReader(64 * 1024);
  const bytes = Uint8Array.from(rest);
  expectMeant(() => {
    for (let at = 0; at < bytes.length; at += size) {
      for (const message of reader.read(bytes.subarray(at, at + size))) {
        read(responses[first % responses.length], message);
      }
    }
    reader.end();
  });
  read(responses[first % responses.length], bytes);
}

/** Wraps errors of the generated code; only a stack overflow is not the input's fault. */
function read(
  type: { decode: (bytes: Uint8Array) => unknown } | undefined,
  message: Uint8Array,
): void {
  try {
    type?.decode(message);
  } catch (error) {
    const { message = "" } = error instanceof Error ? error : {};
    if (message.includes("call stack")) throw error;
  }
}

async function snapshot(input: Uint8Array): Promise<void> {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, input);
    const { signal } = new AbortController();
    await expectMeantLater(() => verifySnapshot(path, signal));
  } finally {
    await Deno.remove(path);
  }
}

/** As is, and as compressed content: hardly any damage passes the checksum. */
async function archive(input: Uint8Array): Promise<void> {
  for (const bytes of [input, gzipSync(input)]) {
    await expectMeantLater(async () => {
      for await (const { name, target, body } of archiveEntries(whole(bytes))) {
        checkName(name, "linux");
        checkName(name, "windows");
        checkLinkText(target);
        for await (const _ of body);
      }
    });
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

async function runbook(input: Uint8Array): Promise<void> {
  const path = await Deno.makeTempFile({ suffix: ".runbook.yaml" });
  try {
    await Deno.writeFile(path, input);
    await run(["runbook", "check", path], entries);
  } finally {
    await Deno.remove(path);
  }
}

function decodeText(input: Uint8Array): string {
  return new TextDecoder().decode(input);
}

function expectMeant(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
  }
}

async function expectMeantLater(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
  }
}
