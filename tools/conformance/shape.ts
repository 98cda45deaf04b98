/** Shapes of node answers: keys, whether they are always present, and kinds of values. */

import type { Recording } from "./record.ts";

/**
 * Kinds of values by path in a spec: `addresses[]`, `status.ready`; a trailing `?` marks an optional path. `any`
 * matches every kind, `map` has arbitrary keys.
 */
type SpecKinds = Readonly<Record<string, string>>;

/** Shapes of specs by resource type, and of messages by call. */
export type Shapes = Readonly<Record<string, SpecKinds>>;

/** Texts with a unit or notation. */
const kinds: Readonly<Record<string, RegExp>> = {
  time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  duration: /^-?(\d+(\.\d+)?(ns|µs|ms|s|m|h))+$/,
  size: /^\d+(\.\d+)? ?([kMGTP]i?)?B$/,
  network: /^[0-9a-f.:]*[.:][0-9a-f.:]*\/\d+$/i,
  address: /^(\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f:]*:[0-9a-f:.]*)$/i,
};

/** Keys whose values are maps with user-defined keys. */
const maps =
  /^(labels|annotations|tags|extraArgs|compatibility|config|credentialProviderConfig)$/;

const free = /^(StaticPods|StaticPodStatuses|Manifests)\./;

/** Finds the shapes of all calls and resources of a recording; skips failed and empty ones. */
export function toShapes({ calls, resources }: Recording): Shapes {
  const called = Object.entries(calls).flatMap(([name, found]) =>
    "error" in found ? [] : [[name, found] as const]
  );
  const read = Object.entries(resources).flatMap(([type, found]) =>
    "error" in found || free.test(type)
      ? []
      : [[type, found.map(({ spec }) => spec)] as const]
  );
  return Object.fromEntries(
    [...called, ...read].filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, toShape(values)]),
  );
}

/** Finds the common shape of specs. */
export function toShape(specs: readonly unknown[]): SpecKinds {
  const seen = new Map([["", {
    kinds: new Set<string>(),
    times: 0,
    inside: 0,
  }]]);
  const at = (path: string) =>
    seen.getOrInsertComputed(
      path,
      () => ({ kinds: new Set<string>(), times: 0, inside: 0 }),
    );
  for (const spec of specs) look(spec, "");
  // A spec that is a single text has no path.
  const paths = [...seen].filter(([path, { kinds }]) =>
    path !== "" || kinds.size > 0 && !kinds.has("map")
  );
  return Object.fromEntries(paths.map(([path, { kinds, times }]) => {
    const known = [...kinds].filter((kind) => kind !== "any");
    const kind = known.length === 1 ? known[0]! : known.length ? "text" : "any";
    return [times === at(around(path)).inside ? path : `${path}?`, kind];
  }));

  /** Records a value, recursively. */
  function look(value: unknown, path: string): void {
    const own = at(path);
    own.inside++;
    if (!path.endsWith("[]")) own.times++;
    const key = path.split(".").at(-1) ?? "";
    if (Array.isArray(value)) {
      own.kinds.add("list");
      if (value.length > 0) at(`${path}[]`).times++;
      for (const one of value) look(one, `${path}[]`);
    } else if (maps.test(key)) own.kinds.add("map");
    else if (value instanceof Object) {
      own.kinds.add("map");
      for (const [name, one] of Object.entries(value)) {
        look(one, path === "" ? name : `${path}.${name}`);
      }
    } else own.kinds.add(findKind(value));
  }
}

/** Parent of a path; empty for the root. */
function around(path: string): string {
  return path.replace(/(\[\]|(^|\.)[^.[]*)$/, "");
}

function findKind(value: unknown): string {
  if (value === null || value === "" || value === "***") return "any";
  if (typeof value !== "string") return typeof value;
  const found = Object.entries(kinds).find(([, form]) => form.test(value));
  return found?.[0] ?? "text";
}

/**
 * Compares shapes of types present in both.
 *
 * @param expected Shapes from nodes.
 * @param actual Shapes to check.
 * @returns A line for each difference, by type and path.
 */
export function differences(expected: Shapes, actual: Shapes): string[] {
  return Object.entries(actual).flatMap(([type, shape]) => {
    const wanted = expected[type];
    if (wanted === undefined) return [`${type}: nodes have no such type`];
    const missing = Object.keys(wanted).flatMap((path) => {
      const parent = around(path);
      if (path.endsWith("?") || Object.hasOwn(shape, path)) return [];
      if (parent !== "" && find(shape, parent) === undefined) return [];
      const found = find(shape, path) === undefined
        ? "missing"
        : "not always there";
      return [`${type}: ${path} is ${found}`];
    });
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

/** Reports whether a path is within an unknown value. */
function isFree(shape: SpecKinds, path: string): boolean {
  const parent = around(path);
  if (parent === "") return false;
  const kind = find(shape, parent);
  if (kind === undefined) return isFree(shape, parent);
  return kind === "any" || kind === "map" &&
      !Object.keys(shape).some((known) =>
        known.replaceAll("?", "").startsWith(`${parent}.`)
      );
}

/** Kind at a path, optional or not. */
function find(shape: SpecKinds, path: string): string | undefined {
  const found = Object.entries(shape).find(([known]) =>
    known.replaceAll("?", "") === path
  );
  return found?.[1];
}

function fits(kind: string, right: string): boolean {
  if (kind === right || kind === "any" || right === "any") return true;
  // A text may match any notation.
  return right === "text" && Object.hasOwn(kinds, kind);
}
