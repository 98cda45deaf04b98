/** Names of commands with flags between their words. */

import type { Entry } from "./command.ts";
import { findCommand, unknownCommand } from "./find.ts";
import type { AnyInputs } from "./parse.ts";
import { flagsOf, sortWords } from "./parse.ts";

/** A command, and the words behind its name. */
export interface Asked {
  /** The command or group. */
  readonly entry: Entry;
  /** Its flags and arguments; flags from between come first. */
  readonly rest: readonly string[];
}

/**
 * Finds a command whose name may have flags behind the name of a group: `etcd --nodes a members`.
 *
 * @param entries The index.
 * @param words Command line without leading global flags.
 * @param shared Flags of every command.
 * @throws {UsageError} For an unknown command, or a flag that no command of the group has.
 */
export async function findBetween(
  entries: readonly Entry[],
  words: readonly string[],
  shared: AnyInputs,
): Promise<Asked> {
  const { entry, taken } = findCommand(entries, words);
  const rest = words.slice(taken);
  if (!entry.group || rest.length === 0) return { entry, rest };
  const known = flagsOf(shared, ...await inputsWithin(entries, entry));
  const { read } = sortWords(rest, known, true);
  if (read === rest.length) return { entry, rest };
  // Without a flag in between the same words would be looked at for ever.
  if (read === 0) throw unknownCommand(entries, rest[0] ?? "", entry);
  const name = [...words.slice(0, taken), ...rest.slice(read)];
  const asked = await findBetween(entries, name, shared);
  return { ...asked, rest: [...rest.slice(0, read), ...asked.rest] };
}

/** Inputs of the commands of a group. */
async function inputsWithin(
  entries: readonly Entry[],
  group: Entry,
): Promise<readonly AnyInputs[]> {
  const within = entries.filter(({ name }) =>
    name.startsWith(`${group.name} `)
  );
  const loaded = await Promise.all(within.map(({ load }) => load?.()));
  return loaded.map((one) => one?.command.inputs ?? {});
}
