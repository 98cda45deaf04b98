/** Enforces the import rules between rooms; type imports count. */

import { listImports, type SourceFile, sources } from "./sources.ts";

/** Rooms with their allowed imports; a trailing slash includes the rooms below. */
type Rooms = ReadonlyMap<string, readonly string[]>;

/**
 * Parses the table of rooms.
 *
 * @param page The page, Markdown; an ellipsis after a name adds all imports allowed to that room.
 */
export function parseRooms(page: string): Rooms {
  const found = page.matchAll(/^\| `([^`]+)` *\|[^|]*\|([^|]*)\|$/gm);
  const cells = new Map(
    [...found].map(([, room = "", may = ""]) => [room, may]),
  );
  const allowed = (room: string): string[] =>
    [...(cells.get(room) ?? "").matchAll(/`([^`]+)`( …)?/g)].flatMap(
      ([, name = "", more]) => [name, ...more ? allowed(name) : []],
    );
  return new Map([...cells.keys()].map((room) => [room, allowed(room)]));
}

/** Folders with their subfolders, bottom-up. */
export type Floors = ReadonlyMap<string, readonly string[]>;

/** Parses the lists of floors: "From the bottom up, `folder/` has `a`, `b`." */
export function parseFloors(page: string): Floors {
  const found = page.matchAll(
    /From the bottom up, `([^`]+)\/`\s+has([^.]*)\./g,
  );
  return new Map(
    [...found].map(([, folder = "", list = ""]) => [
      folder,
      [...list.matchAll(/`([^`]+)`/g)].map(([, floor = ""]) => floor),
    ]),
  );
}

/**
 * Finds forbidden imports.
 *
 * @param rooms The table of the page.
 * @param all Source files.
 * @param floors Folders with an order.
 * @returns One line for each, naming file and import.
 */
export function forbidden(
  rooms: Rooms,
  all: readonly SourceFile[],
  floors: Floors = new Map(),
): string[] {
  return all.flatMap((source) =>
    listImports(source).flatMap((imported) => {
      const { path } = source;
      const problem = findProblem(rooms, path, imported) ??
        findUpward(floors, path, imported);
      return problem === undefined ? [] : [`${path}: ${problem}: ${imported}`];
    })
  );
}

function findUpward(
  floors: Floors,
  from: string,
  to: string,
): string | undefined {
  for (const [folder, order] of floors) {
    if (!isIn(folder, from) || !isIn(folder, to)) continue;
    const [lower, upper] = [from, to].map((path) =>
      path.slice(folder.length + 1).split("/")[0] ?? ""
    );
    const [at, above] = [lower, upper].map((floor = "") =>
      order.indexOf(floor)
    );
    if (at === -1) return `the page gives ${folder}/${lower} no floor`;
    if (above! > at!) return `${folder}/${upper} is above ${folder}/${lower}`;
  }
  return undefined;
}

function findProblem(
  rooms: Rooms,
  from: string,
  to: string,
): string | undefined {
  const [a, b] = [findRoom(rooms, from), findRoom(rooms, to)];
  const may = rooms.get(a) ?? [];
  const isListed = (room: string) =>
    room.endsWith("/") ? to.startsWith(room) : room === b;
  if (a !== b && !may.some(isListed)) {
    return `${a} must not import ${b}`;
  }
  if (a === "commands" && isCommand(from) && isCommand(to)) {
    return "a command must not import another command";
  }
  if (a === "commands" && to === "commands/_index.ts") {
    return "commands are handed the index";
  }
  if (isPrivate(from, to)) return "the file is private to its folder";
  return undefined;
}

/** Innermost room of a file; a file without one is its own room, closed to others. */
function findRoom(rooms: Rooms, path: string): string {
  const around = [...rooms.keys()].filter((room) => isIn(room, path));
  const inner = around.sort((a, b) => b.length - a.length)[0];
  return inner ?? path.split("/")[0] ?? path;
}

function isIn(room: string, path: string): boolean {
  return path === room || path.startsWith(`${room}/`);
}

function isCommand(path: string): boolean {
  return path.startsWith("commands/") && !path.includes("/_");
}

/** `_x` is private to its folder and those below it; the kit is for all commands. */
function isPrivate(from: string, to: string): boolean {
  const at = to.search(/(?<=\/)_/);
  if (at < 0 || /^commands\/_(kit\/|index\.ts)/.test(to)) return false;
  return !from.startsWith(to.slice(0, at));
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const page = await Deno.readTextFile(
    new URL("docs/architecture.md", root),
  );
  const problems = forbidden(
    parseRooms(page),
    await sources(root),
    parseFloors(page),
  );
  if (problems.length > 0) throw new Error(`\n${problems.join("\n")}`);
}
