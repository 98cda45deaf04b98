/** Shapes of what nodes answer: which keys there are, which of them always, and what kind of value each has. */

import type { Recording } from "./record.ts";

/**
 * Kinds of values by their path in a spec: `addresses[]`, `status.ready`; `?` at the end of a path that is not always
 * there. `any` fits every kind, `map` has keys of its own.
 */
export type Shape = Readonly<Record<string, string>>;

/** Shapes of specs by the types of resources. */
export type Shapes = Readonly<Record<string, Shape>>;

/** Texts that mean something else than themselves, each with its unit or notation. */
const kinds: Readonly<Record<string, RegExp>> = {
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  duration: /^-?(\d+(\.\d+)?(ns|µs|ms|s|m|h))+$/,
  size: /^\d+(\.\d+)? ?([kMGTP]i?)?B$/,
  network: /^[0-9a-f.:]*[.:][0-9a-f.:]*\/\d+$/i,
  address: /^(\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f:]*:[0-9a-f:.]*)$/i,
};

/** Keys whose values are maps with keys of the user's. */
const maps =
  /^(labels|annotations|tags|extraArgs|compatibility|config|credentialProviderConfig)$/;

/** Types whose specs are whatever Kubernetes has. */
const free = /^(StaticPods|StaticPodStatuses|Manifests)\./;

/** Finds the shapes of all resources of a recording. */
export function shapesOf({ resources }: Pick<Recording, "resources">): Shapes {
  return Object.fromEntries(
    Object.entries(resources).flatMap(([type, found]) =>
      "error" in found || found.length === 0 || free.test(type)
        ? []
        : [[type, shapeOf(found.map(({ spec }) => spec))] as const]
    ),
  );
}

/** Finds what specs have in common. */
export function shapeOf(specs: readonly unknown[]): Shape {
  const seen = new Map<string, { kinds: Set<string>; count: number }>();
  for (const spec of specs) {
    for (const [path, kind] of new Map(pathsOf(spec, ""))) {
      const one = seen.get(path) ?? { kinds: new Set(), count: 0 };
      one.kinds.add(kind);
      one.count++;
      seen.set(path, one);
    }
  }
  return Object.fromEntries(
    [...seen].map(([path, { kinds, count }]) => {
      const known = [...kinds].filter((kind) => kind !== "any");
      const kind = known.length === 1
        ? known[0]!
        : known.length
        ? "text"
        : "any";
      return [count === specs.length ? path : `${path}?`, kind];
    }),
  );
}

function* pathsOf(value: unknown, path: string): Generator<[string, string]> {
  const key = path.split(".").at(-1) ?? "";
  if (maps.test(key)) yield [path, "map"];
  else if (Array.isArray(value)) {
    yield [path, "list"];
    for (const one of value) yield* pathsOf(one, `${path}[]`);
  } else if (value instanceof Object) {
    if (path !== "") yield [path, "map"];
    for (const [name, one] of Object.entries(value)) {
      yield* pathsOf(one, path === "" ? name : `${path}.${name}`);
    }
  } else yield [path, kindOf(value)];
}

function kindOf(value: unknown): string {
  if (value === null || value === "" || value === "***") return "any";
  if (typeof value !== "string") return typeof value;
  const found = Object.entries(kinds).find(([, form]) => form.test(value));
  return found?.[0] ?? "text";
}

/**
 * Compares shapes of types that both have.
 *
 * @param expected What nodes send.
 * @param actual What is held to it.
 * @returns A line for each difference, by type and path.
 */
export function differences(expected: Shapes, actual: Shapes): string[] {
  return Object.entries(actual).flatMap(([type, shape]) => {
    const wanted = expected[type];
    if (wanted === undefined) return [`${type}: nodes have no such type`];
    const always = Object.keys(wanted).filter((path) =>
      !path.includes("?") && !path.includes("[]")
    );
    const missing = always.filter((path) => find(shape, path) === undefined)
      .map((path) => `${type}: ${path} is missing`);
    const wrong = Object.entries(shape).flatMap(([path, kind]) => {
      const bare = path.replaceAll("?", "");
      const right = find(wanted, bare);
      if (right === undefined) {
        if (isFree(wanted, bare)) return [];
        return [`${type}: ${bare} is nothing that nodes send`];
      }
      return fits(kind, right)
        ? []
        : [`${type}: ${bare} is a ${kind}, and nodes send a ${right}`];
    });
    return [...missing, ...wrong];
  });
}

/** Whether a path is inside of something of which nothing is known. */
function isFree(shape: Shape, path: string): boolean {
  const around = path.replace(/(\[\]|\.[^.[]*)$/, "");
  if (around === path) return false;
  const kind = find(shape, around);
  if (kind === undefined) return isFree(shape, around);
  return kind === "any" || kind === "map" &&
      !Object.keys(shape).some((known) =>
        known.replaceAll("?", "").startsWith(`${around}.`)
      );
}

/** Kind at a path, whether it is always there or not. */
function find(shape: Shape, path: string): string | undefined {
  const found = Object.entries(shape).find(([known]) =>
    known.replaceAll("?", "") === path
  );
  return found?.[1];
}

function fits(kind: string, right: string): boolean {
  if (kind === right || kind === "any" || right === "any") return true;
  // A text may look like anything.
  return right === "text" && kind in kinds;
}
