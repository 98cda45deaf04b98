import { parseSize } from "../config/documents/scalars/size.ts";
import {
  ConnectError,
  OsctlError,
  RefusedError,
  RpcError,
  UsageError,
} from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { payload } from "../transport/call/payload.ts";
import { archiveEntries } from "../lib/archive/entries.ts";
import { extractEntries, type RefusedEntry } from "./_copy/extract.ts";
import { unpackBounds } from "../lib/archive/unpack_bounds.ts";
import {
  bytes,
  type Command,
  type Context,
  type Flag,
  InputProblem,
  text,
  toggle,
  type Values,
  word,
} from "./_kit/mod.ts";
import { oneNode } from "./_kit/one_node.ts";
import { pathFailure } from "./_path_failure.ts";
import { receiving } from "../transport/call/open_calls.ts";

const inputs = {
  source: word("file or directory on the node", { complete: "paths" }),
  target: word(
    "directory to extract to, or - to write the archive to standard output",
    {
      complete: "directories",
      dash: true,
    },
  ),
  maxSize: sizeFlag("maximum total size of the extracted files, such as 20GiB"),
  fillDisk: toggle("continue even if less than 10% of the disk would be free"),
};

type CopyInputs = Values<typeof inputs>;

export const command = {
  summary: "Copy files from a node",
  description:
    `The node packs the file or directory into a .tar.gz archive. With - as target the archive goes to standard output;
otherwise it is extracted into the target directory, which is created if missing.

Nothing is written outside the target and nothing is overwritten: entries that would do so, devices and pipes are
skipped and reported, and the status is 1. Links are not followed. Permissions are kept, owners and times are not.
Files appear under their names once they are complete.

Extraction stops with status 5, keeping complete files, if less than 10% of the disk would be free, or when an
archive expands to more than 1 GiB and over 100 times its size; override this with --fill-disk and --max-size.`,
  aliases: ["cp"],
  inputs,
  examples: [
    "copy /var/log/audit ./audit --nodes 10.0.0.2",
    "copy /etc - --nodes 10.0.0.2 > etc.tar.gz",
  ],
  output: "own",
  view: bytes(),
  async *run(context) {
    const { input: { source, target }, environment } = context;
    if (target !== "-") await checkTarget(target);
    else if (environment.stdout.terminal) {
      throw new UsageError("Cannot write an archive to a terminal", {
        hint: "Redirect standard output, or name a directory",
      });
    }
    const client = await oneNode(context, "copy");
    const what = `Cannot copy "${source}" from ${client.node}`;
    const said: RpcError[] = [];
    try {
      const archive = receiving(
        `"${source}" from ${client.node}`,
        packFile(client, source, said),
      );
      if (target === "-") yield* archive;
      const { problems, hint } = target === "-"
        ? { problems: [] }
        : await extract(archive, context);
      for (const { message } of said) {
        problems.push(`${client.node} says: ${message.trim()}`);
      }
      if (problems.length > 0) {
        throw new OsctlError(
          `${what}: ${problems.join("\n")}`,
          hint === undefined ? {} : { hint },
        );
      }
    } catch (error) {
      if (error instanceof RefusedError) {
        const { message, hint = "" } = error;
        throw new RefusedError(`${what}: ${message}`, { hint, cause: error });
      }
      throw pathFailure(error, what, source);
    }
  },
} satisfies Command<Uint8Array, CopyInputs>;

function sizeFlag(summary: string): Flag<number | undefined> {
  return {
    ...text(summary),
    type: "size",
    initial: undefined,
    parse(value) {
      const size = parseSize(value);
      if (size !== undefined && size > 0n) return Number(size);
      throw new InputProblem("must be a size such as 20GiB");
    },
  };
}

async function checkTarget(target: string): Promise<void> {
  const info = await Deno.stat(target).catch(() => undefined);
  if (info === undefined || info.isDirectory) return;
  throw new UsageError(`Target "${target}" is not a directory`, {
    hint: "Name a directory, or one that does not exist yet",
  });
}

/** The archive; node errors next to it go to `said`. */
async function* packFile(
  { machine }: NodeClient,
  rootPath: string,
  said: RpcError[],
): AsyncGenerator<Uint8Array> {
  let empty = true;
  const messages = machine.copy({ rootPath });
  const chunks = payload(messages, {
    reported: (problem) => said.push(problem),
    // Both consumers have finished with a block, or copied it, when they
    // request the next.
    lent: true,
  });
  for await (const chunk of chunks) {
    empty = false;
    yield chunk;
  }
  // With an archive, the node skipped files; without one, it refused.
  if (empty && said[0] !== undefined) throw said[0];
}

/** Extracts the archive; returns its problems. */
async function extract(
  archive: AsyncIterable<Uint8Array>,
  { input, environment, signal }: Context<CopyInputs>,
): Promise<{ problems: string[]; hint?: string | undefined }> {
  const refused: RefusedEntry[] = [];
  const bounds = unpackBounds({ ...input, maxBytes: input.maxSize });
  try {
    await extractEntries(archiveEntries(archive, bounds), {
      target: input.target,
      os: environment.os,
      refused: (entry) => refused.push(entry),
    });
    return { problems: refusedText(refused) };
  } catch (error) {
    // An interrupted archive is not damaged.
    signal.throwIfAborted();
    if (isOfNode(error) || !(error instanceof OsctlError)) throw error;
    if (error instanceof RefusedError) throw error;
    const problems = [error.message, ...refusedText(refused)];
    return { problems, hint: error.hint };
  }
}

function isOfNode(error: unknown): boolean {
  return error instanceof RpcError || error instanceof ConnectError;
}

const mostNamed = 100;

function refusedText(refused: readonly RefusedEntry[]): string[] {
  if (refused.length === 0) return [];
  const named = refused.slice(0, mostNamed).map(({ name, reason }) =>
    `  ${JSON.stringify(name)} ${reason}`
  );
  const others = refused.length - named.length;
  return [
    `${refused.length} of the entries were skipped`,
    ...named,
    ...others > 0 ? [`  and ${others} more`] : [],
  ];
}
