import { UsageError } from "../../errors.ts";
import type { IndexEntry } from "./command.ts";
import { type AnyInputs, isFlag, listFlags, sortWords } from "./parse.ts";
import { meantCommands, notHere } from "./not_here.ts";
import { nearest } from "../../lib/text/nearest.ts";

const most = 3;

interface FoundCommand {
  readonly entry: IndexEntry;
  /** Number of words in its name. */
  readonly taken: number;
}

/**
 * Finds the command with the longest name that matches the first words.
 *
 * @param words Command line without leading global flags; flags end a name.
 * @throws {UsageError} For an unknown command; suggests the nearest.
 */
export function findCommand(
  entries: readonly IndexEntry[],
  words: readonly string[],
): FoundCommand {
  const names = leadingWords(words);
  for (let taken = names.length; taken > 0; taken--) {
    const entry = findEntry(entries, names.slice(0, taken).join(" "));
    if (entry === undefined) continue;
    const next = names[taken];
    if (entry.group && next !== undefined) {
      throw unknownCommand(entries, next, entry);
    }
    return { entry, taken };
  }
  throw unknownCommand(entries, words[0] ?? "");
}

/** Finds a command by full name or alias; each word may be an alias of its group. */
export function findEntry(
  entries: readonly IndexEntry[],
  name: string,
): IndexEntry | undefined {
  const direct = entries.find((entry) =>
    entry.name === name || entry.aliases?.includes(name)
  );
  const at = name.lastIndexOf(" ");
  const deep = name.split(" ", most + 1).length > most;
  if (direct !== undefined || at < 0 || deep) return direct;
  const group = findEntry(entries, name.slice(0, at));
  if (group === undefined || group.name === name.slice(0, at)) return undefined;
  return findEntry(entries, `${group.name}${name.slice(at)}`);
}

function leadingWords(words: readonly string[]): string[] {
  const end = words.findIndex((word) =>
    // A word with spaces, as from a quoted command line, is not a name.
    word === "--" || isFlag(word) || word.includes(" ")
  );
  return words.slice(0, Math.min(most, end < 0 ? words.length : end));
}

/** Error for a word that is not a command. `group`: its parent group, if any. */
function unknownCommand(
  entries: readonly IndexEntry[],
  word: string,
  group?: IndexEntry,
): UsageError {
  const prefix = group === undefined ? "" : `${group.name} `;
  const reason = notHere.get(`${prefix}${word}`);
  if (reason !== undefined) {
    return new UsageError(`Cannot run "${prefix}${word}": ${reason}`);
  }
  const known = namesBelow(entries, prefix);
  const meant = group === undefined
    ? meantCommands.get(word) ?? known.find((name) => name.endsWith(` ${word}`))
    : undefined;
  const near = meant ??
    nearest(word, known.filter((name) => !name.includes(" ")));
  return new UsageError(
    `Unknown command "${prefix}${word}"`,
    {
      hint: near === undefined
        ? `Run "osctl ${prefix}--help" for the list of commands`
        : `Did you mean "osctl ${prefix}${near}"?`,
    },
  );
}

/**
 * Refuses a misspelled command below a command that runs by itself: `cluster create embeded`.
 *
 * @param words Arguments of the command, without flags.
 * @throws {UsageError} If there are more than it takes, and the first resembles a command.
 */
export function refuseMisspelled(
  entries: readonly IndexEntry[],
  entry: IndexEntry,
  inputs: AnyInputs,
  words: readonly string[],
): void {
  const most = Object.values(inputs).reduce(
    (sum, input) => sum + (input.role === "argument" ? input.most : 0),
    0,
  );
  const [word] = words;
  if (word === undefined || words.length <= most) return;
  if (nearest(word, namesBelow(entries, `${entry.name} `)) !== undefined) {
    throw unknownCommand(entries, word, entry);
  }
}

/** Lists the commands and aliases that begin with a prefix, without it. */
function namesBelow(
  entries: readonly IndexEntry[],
  prefix: string,
): readonly string[] {
  return entries.filter(({ hidden }) => !hidden)
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}

interface CommandWords {
  readonly entry: IndexEntry;
  /** Its flags and arguments; flags between the words of its name come first. */
  readonly rest: readonly string[];
}

/**
 * Finds a command with flags between the words of its name: `etcd --nodes a members`.
 *
 * @param words Command line without leading global flags.
 * @throws {UsageError} For an unknown command, or a flag that no command of the group has.
 */
export async function findBetween(
  entries: readonly IndexEntry[],
  words: readonly string[],
  shared: AnyInputs,
): Promise<CommandWords> {
  const { entry, taken } = findCommand(entries, words);
  const rest = words.slice(taken);
  if (!entry.group || rest.length === 0) return { entry, rest };
  const known = listFlags(shared, ...await inputsWithin(entries, entry));
  const { read } = sortWords(rest, known, true);
  if (read === rest.length) return { entry, rest };
  // Without a flag in between, the loop would not terminate.
  if (read === 0) throw unknownCommand(entries, rest[0] ?? "", entry);
  const name = [...words.slice(0, taken), ...rest.slice(read)];
  const asked = await findBetween(entries, name, shared);
  return { ...asked, rest: [...rest.slice(0, read), ...asked.rest] };
}

/** Inputs of the commands of a group. */
export async function inputsWithin(
  entries: readonly IndexEntry[],
  group: IndexEntry,
): Promise<readonly AnyInputs[]> {
  const within = entries.filter(({ name }) =>
    name.startsWith(`${group.name} `)
  );
  const loaded = await Promise.all(within.map(({ load }) => load?.()));
  return loaded.map((one) => one?.command.inputs ?? {});
}
