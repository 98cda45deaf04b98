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
 * `@ NODE METHOD REPLY` is a reply in YAML, of any node where that is `*`; it continues on lines that are indented
 * deeper. Further ones of a method that streams follow as lines of their own, and `!CODE message` fails the call. `@?` shows what is asked, as `> NODE METHOD REQUEST`. What stands above the first
 * title holds for all tests. `+ NAME` is a file, and its lines follow with `| ` in front; it is at `$DIR/NAME`.
 * `COLUMNS=80 osctl …` is a terminal of that width, any other name a variable of the environment.
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
  readonly isShown: boolean;
  readonly text: string;
}

/**
 * Runs a test.
 *
 * @param common What holds for all tests of its script.
 * @param section The test.
 * @returns Its lines with what came out now.
 * @throws {Error} If a reply of its own was never asked for.
 */
export async function runSection(
  common: Section,
  section: Section,
): Promise<string> {
  const files = filesIn(section.lines);
  const ran: string[] = [];
  await withFolder(files, async (folder) => {
    const used = new Set<Reply>();
    const replies = common.lines.flatMap((_, at) =>
      parseReply(common.lines, at) ?? []
    );
    const own: Reply[] = [];
    let isOutput = false;
    for (const [at, line] of section.lines.entries()) {
      const reply = parseReply(section.lines, at);
      const isCommand = line.startsWith("  $ ");
      isOutput &&= line.startsWith("  ") && reply === undefined;
      if (reply !== undefined) own.push(reply);
      if (isCommand || !isOutput) ran.push(line);
      if (!isCommand) continue;
      isOutput = true;
      ran.push(
        ...await runLine(line.slice(4), folder, {
          // Replies of a test take the place of those that hold for all.
          replies: [
            ...replies.filter(({ node, method }) =>
              !own.some((one) => one.node === node && one.method === method)
            ),
            ...own,
          ],
          used,
        }),
      );
    }
    const unused = own.filter((reply) => !used.has(reply));
    if (unused.length > 0) {
      throw new Error(
        `Never asked: ${unused.map((one) => `${one.node} ${one.method}`)}`,
      );
    }
  });
  return ran.join("\n");
}

/** Replies of a node, or of any. */
function isOf(node: string): (reply: Reply) => boolean {
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
  const [, mark, node = "", method = "", first = ""] =
    /^ {2}@(\??) (\S+) (\S+) ?(.*)$/.exec(lines[at] ?? "") ?? [];
  if (mark === undefined) return undefined;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith("      "));
  const more = end === -1 ? rest : rest.slice(0, end);
  const text = [first, ...more.map((line) => line.trim())].join(" ").trim();
  return { node, method, text, isShown: mark === "?" };
}

async function runLine(
  line: string,
  folder: string,
  { replies, used }: {
    readonly replies: readonly Reply[];
    readonly used: Set<Reply>;
  },
): Promise<string[]> {
  const words = splitWords(line.replaceAll("$DIR", folder));
  const at = words.indexOf("osctl");
  const { COLUMNS, ...env } = Object.fromEntries(
    words.slice(0, at).map((word) => word.split(/=(.*)/, 2)),
  );
  const asked: string[] = [];
  const handlers: Record<string, Record<string, Handler>> = {};
  const own = replies.map(({ node }) => node).filter((node) => node !== "*");
  const flag = words.findIndex((word) => word === "-n" || word === "--nodes");
  const named = flag === -1 ? own : [...words[flag + 1]!.split(","), ...own];
  for (const node of named.length === 0 ? ["a"] : named) {
    const name = node === "endpoint" ? "" : node;
    handlers[name] = {};
    for (const { method } of replies.filter(isOf(node))) {
      const all = replies.filter((one) => one.method === method);
      const exact = all.filter((one) => one.node === node);
      const its = exact.length > 0 ? exact : all.filter(isOf(node));
      handlers[name][method] = (request) => {
        its.forEach((reply) => used.add(reply));
        if (its[0]?.isShown) {
          asked.push(`  > ${node} ${method} ${formatRequest(request)}`);
        }
        return replyWith(its.map(({ text }) => text));
      };
    }
  }
  const stop = new AbortController();
  const { out, err, status } = await run(words.slice(at + 1), {}, {
    env,
    ...COLUMNS !== undefined && { columns: Number(COLUMNS) },
    signal: stop.signal,
    open: () => fakeNodes(handlers, stop.signal).nodes,
  });
  const shown = (text: string, mark: string) =>
    text === ""
      ? []
      : text.replaceAll(folder, "$DIR").replace(/\n$/, "").split("\n")
        .map((line) => `  ${mark}${line}`);
  return [
    ...shown(out, ""),
    ...shown(err, "! "),
    ...asked,
    ...status === 0 ? [] : [`  [${status}]`],
  ];
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
      for (const text of texts) yield await Promise.resolve(read(text));
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
