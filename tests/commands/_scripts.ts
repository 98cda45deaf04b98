/**
 * Tests of commands as text: what nodes reply, a command line, what comes out. `scripts_test.ts` runs those beside it;
 * `OSCTL_UPDATE=1 deno task test commands/scripts` writes what comes out now into them.
 *
 *     # Title of a test
 *     Sentences for the reader.
 *       @ a version {messages: [{version: {tag: v1.12.11}}]}
 *       $ osctl version --short
 *       what goes to standard output
 *       ! what goes to standard error
 *       [exit status, unless it is 0]
 *
 * `@ NODE METHOD REPLY` is a reply in YAML, of any node where that is `*`, of the endpoint itself where it is
 * `endpoint`; it continues on lines that are indented deeper. Further ones of a method that streams follow as lines of
 * their own, `[]` is a stream without one, and `!CODE message` fails the call. `METHOD:VALUE` replies to requests with
 * that value in a field, `@2` to the second request and later ones. `@?` shows requests, as `> NODE METHOD REQUEST`.
 * Lines above the first title hold for all tests.
 *
 * `+ NAME` is a file, and its lines follow with `| ` in front; it is at `$DIR/NAME`. `COLUMNS=80 osctl …` is a terminal
 * of that width, any other name a variable of the environment; the client configuration is `$DIR/config`, and what
 * commands keep is in `$DIR`. A line without osctl runs in a shell, in `$DIR`; before `| osctl …`, it gives standard input.
 */

import { parse } from "yaml";
import { type RpcCode, RpcError } from "../../errors.ts";
import { fakeNodes, type Handler } from "../_fake.ts";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";

/** One test of a script. */
export interface Section {
  /** Its title; empty for what holds for all tests. */
  readonly title: string;
  /** Its lines, with the title and as they stand in the file. */
  readonly lines: readonly string[];
}

/**
 * Divides a script into tests.
 *
 * @param text The script.
 * @returns What holds for all, followed by the tests.
 */
export function parseScript(text: string): readonly [Section, ...Section[]] {
  const all: [Section, ...Section[]] = [{ title: "", lines: [] }];
  let lines: string[] = [];
  all[0] = { title: "", lines };
  for (const line of text.replace(/\n$/, "").split("\n")) {
    if (line.startsWith("# ")) {
      lines = [];
      all.push({ title: line.slice(2), lines });
    }
    lines.push(line);
  }
  return all;
}

interface Reply {
  readonly node: string;
  readonly method: string;
  /** Value in a field of the requests it is for; empty for all. */
  readonly value: string;
  /** The first request it is for, counted from 1. */
  readonly from: number;
  readonly isShown: boolean;
  readonly text: string;
}

/**
 * Runs a test.
 *
 * @param common What holds for all tests of its script.
 * @param section The test.
 * @param longestMs Timeout of each command line, in milliseconds.
 * @returns Its lines with what came out now.
 * @throws {Error} If a reply of its own was never asked for, or a command does not end without it.
 */
export async function runSection(
  common: Section,
  section: Section,
  longestMs = 20_000,
): Promise<string> {
  const lines = [...common.lines, ...section.lines];
  const ran: string[] = [];
  await withFolder(filesIn(lines), async (folder) => {
    const used = new Set<Reply>();
    const own: Reply[] = [];
    const shared = common.lines.flatMap((_, at) =>
      parseReply(common.lines, at) ?? []
    );
    let isOutput = false;
    for (const [at, line] of section.lines.entries()) {
      const reply = parseReply(section.lines, at);
      const isCommand = line.startsWith("  $ ");
      isOutput &&= line.startsWith("  ") && reply === undefined;
      if (reply !== undefined) own.push(reply);
      if (isCommand || !isOutput) ran.push(line);
      if (!isCommand) continue;
      isOutput = true;
      // Replies of a test take the place of those that hold for all.
      const replies = [
        ...shared.filter(({ node, method, value }) =>
          !own.some((one) =>
            one.node === node && one.method === method && one.value === value
          )
        ),
        ...own,
      ];
      ran.push(
        ...await runLine(line.slice(4), folder, { replies, used, longestMs }),
      );
    }
    const unused = formatUnused(own, used);
    if (unused !== "") throw new Error(`Never asked: ${unused}`);
  });
  return ran.join("\n");
}

/** Replies that were never asked for. */
function formatUnused(
  replies: readonly Reply[],
  used: ReadonlySet<Reply>,
): string {
  return replies.filter((reply) => !used.has(reply)).map((
    { node, method, from },
  ) => `${from === 1 ? "" : `@${from} `}${node} ${method}`).join(", ");
}

/** Replies of a node, or of any. */
function isFor(node: string): (reply: Reply) => boolean {
  return (reply) =>
    reply.node === node || reply.node === "*" && node !== "endpoint";
}

function filesIn(lines: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {};
  let name = "";
  for (const line of lines) {
    if (line.startsWith("  + ")) files[name = line.slice(4)] = "";
    if (line.startsWith("  | ") || line === "  |") {
      files[name] += `${line.slice(4)}\n`;
    }
  }
  return files;
}

/** The reply that begins on a line, with the lines that continue it. */
function parseReply(lines: readonly string[], at: number): Reply | undefined {
  const [, from, mark, node = "", method = "", value = "", first = ""] =
    /^ {2}@(\d*)(\??) (\S+) (\w+)(?::(\S+))? ?(.*)$/.exec(lines[at] ?? "") ??
      [];
  if (from === undefined) return undefined;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith("      "));
  const more = end === -1 ? rest : rest.slice(0, end);
  const text = [first, ...more.map((line) => line.trim())].join(" ").trim();
  const isShown = mark === "?";
  return { node, method, value, from: Number(from || 1), text, isShown };
}

async function runLine(
  line: string,
  folder: string,
  { replies, used, longestMs }: {
    readonly replies: readonly Reply[];
    readonly used: Set<Reply>;
    readonly longestMs: number;
  },
): Promise<string[]> {
  const shown = (text: string, mark: string) =>
    text === ""
      ? []
      : text.replaceAll(folder, "$DIR").replace(/\n$/, "").split("\n")
        .map((line) => `  ${mark}${line}`);
  const [, typed, rest = line] = /^(.*?) \| (osctl .*)$/.exec(line) ?? [];
  if (!/(^| )osctl /.test(rest)) return shown(await runShell(rest, folder), "");
  const stdin = typed === undefined ? "" : await runShell(typed, folder);
  const words = splitWords(rest.replaceAll("$DIR", folder));
  const at = words.indexOf("osctl");
  const { COLUMNS, ...env } = Object.fromEntries(
    words.slice(0, at).map((word) => word.split(/=(.*)/, 2)),
  );
  const asked: string[] = [];
  const flag = words.findIndex((word) => word === "-n" || word === "--nodes");
  const named = new Set(flag === -1 ? [] : words[flag + 1]!.split(","));
  for (const { node } of replies) {
    if (node !== "*" && node !== "endpoint") named.add(node);
  }
  if (named.size === 0) named.add("a");
  const handlers = Object.fromEntries(
    [...named, "endpoint"].map((node) => [
      node === "endpoint" ? "" : node,
      makeHandlers(node, replies, used, asked),
    ]),
  );
  const stop = new AbortController();
  // A command that waits for a state that no reply has would run into the timeout of the test.
  const late = setTimeout(() => stop.abort(), longestMs);
  const { out, err, status } = await run(words.slice(at + 1), {}, {
    env: { OS_HOME: folder, OSCONFIG: `${folder}/config`, ...env },
    ...COLUMNS !== undefined && { columns: Number(COLUMNS) },
    signal: stop.signal,
    stdin,
    open: () => fakeNodes(handlers, stop.signal).nodes,
  });
  clearTimeout(late);
  if (stop.signal.aborted) {
    const unused = formatUnused(replies, used);
    throw new Error(
      `Still running after ${longestMs} ms: ${line}${
        unused === "" ? "" : ` (never asked: ${unused})`
      }`,
    );
  }
  return [
    ...shown(out, ""),
    ...shown(err, "! "),
    ...asked,
    ...status === 0 ? [] : [`  [${status}]`],
  ];
}

async function runShell(line: string, folder: string): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", line],
    cwd: folder,
    env: { DIR: folder, LC_ALL: "C" },
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

/** Handlers that reply as a script says; those without a reply are missing. */
function makeHandlers(
  node: string,
  replies: readonly Reply[],
  used: Set<Reply>,
  asked: string[],
): Record<string, Handler> {
  const its = replies.filter(isFor(node));
  const counts = new Map<string, number>();
  const answer = (method: string): Handler => (request) => {
    const values = Object.values(Object(request)).map(String);
    const fit = its.filter((one) =>
      one.method === method && (one.value === "" || values.includes(one.value))
    );
    const rank = (one: Reply) =>
      Number(one.node === node) * 2 + Number(one.value !== "");
    const best = Math.max(...fit.map(rank));
    const key = `${method}:${fit.find((one) => rank(one) === best)?.value}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    const ready = fit.filter((one) => rank(one) === best && one.from <= nth);
    const last = Math.max(...ready.map(({ from }) => from));
    const chosen = ready.filter(({ from }) => from === last);
    chosen.forEach((reply) => used.add(reply));
    if (chosen[0]?.isShown) {
      asked.push(`  > ${node} ${method} ${formatRequest(request)}`);
    }
    if (chosen.length === 0) {
      throw new Error(`No reply of ${node} to ${method} of ${values}`);
    }
    return replyWith(chosen.map(({ text }) => text));
  };
  return Object.fromEntries(
    its.map(({ method }) => [method, answer(method)]),
  );
}

/** Words of a command line; `'…'` is one, whatever is in it. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|[^ '])+/g)].map(([word]) =>
    word.replaceAll("'", "")
  );
}

/** A reply of a unary method when it is awaited, else those of a stream. */
function replyWith(texts: readonly string[]): unknown {
  const read = (text: string): unknown => {
    const [, code, message = ""] = /^!(\S+) ?(.*)$/.exec(text) ?? [];
    if (code === undefined) return parse(text, { intAsBigInt: true }) ?? {};
    throw new RpcError(code as RpcCode, message);
  };
  return {
    then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
      try {
        resolve(read(texts[0] ?? ""));
      } catch (error) {
        reject(error);
      }
    },
    async *[Symbol.asyncIterator]() {
      for (const text of texts.filter((one) => one !== "[]")) {
        yield await Promise.resolve(read(text));
      }
    },
  };
}

/** A request on one line, without what has its default value. */
function formatRequest(request: unknown): string {
  return Deno.inspect(withoutDefaults(request), {
    breakLength: Infinity,
    compact: true,
    depth: 9,
  });
}

function withoutDefaults(value: unknown): unknown {
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const kept = withoutDefaults(inner);
      const isDefault = !kept || Array.isArray(kept) && kept.length === 0;
      return isDefault ? [] : [[key, kept]];
    }),
  );
}
