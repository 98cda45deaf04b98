/** OS versions and upgrade paths. */

/** A parsed version. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** Pre-release identifiers; empty for a release. */
  readonly before: readonly (string | number)[];
}

/**
 * Parses a version according to Semantic Versioning 2.0.
 *
 * @param text `v1.12.1`, `1.13.0-beta.0`; build metadata after a `+` is ignored.
 * @returns `undefined` for anything else.
 */
export function parseVersion(text: string): Version | undefined {
  const found =
    /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/
      .exec(text);
  if (found === null) return undefined;
  const [, major, minor, patch, before = ""] = found;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    before: before.split(".").filter((word) => word !== "").map((word) =>
      /^\d+$/.test(word) ? Number(word) : word
    ),
  };
}

/**
 * Compares two versions.
 *
 * @returns Below 0 when `a` is older, 0 when they are equal, above 0 when it is newer.
 */
export function compareVersions(a: Version, b: Version): number {
  const numbers = a.major - b.major || a.minor - b.minor || a.patch - b.patch;
  if (numbers !== 0) return numbers;
  // A release is newer than its pre-releases.
  if (a.before.length === 0 || b.before.length === 0) {
    return b.before.length - a.before.length;
  }
  for (const [index, word] of a.before.entries()) {
    const other = b.before[index];
    if (other === undefined) return 1;
    if (word !== other) return precedes(word, other) ? -1 : 1;
  }
  return a.before.length - b.before.length;
}

function precedes(a: string | number, b: string | number): boolean {
  return typeof a === typeof b ? a < b : typeof a === "number";
}

/** Reports whether a version is older than another; false if either is invalid. */
export function isOlder(version: string, other: string): boolean {
  const [a, b] = [parseVersion(version), parseVersion(other)];
  return a !== undefined && b !== undefined && compareVersions(a, b) < 0;
}

/**
 * Parses the first two numbers of a version.
 *
 * @param text `v1.12`, `1.13.0-beta.0`.
 * @returns `undefined` for anything else.
 */
export function parseMinor(
  text: string,
): Pick<Version, "major" | "minor"> | undefined {
  const [, major, minor] = /^v?(\d+)\.(\d+)(?:\.|$)/.exec(text) ?? [];
  return minor === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor) };
}

/** Reports whether the first two numbers of a version are older than those of another; false if either is invalid. */
export function isOlderMinor(version: string, other: string): boolean {
  const [a, b] = [parseMinor(version), parseMinor(other)];
  return a !== undefined && b !== undefined &&
    (a.major - b.major || a.minor - b.minor) < 0;
}

/** Formats a version with its `v`. */
export function withV(version: string): string {
  return version.replace(/^v?/, "v");
}

/**
 * Returns the problem with changing from one version to another: at most a few minor versions forward, and never back.
 *
 * @param step Minor versions allowed in one step, default 1.
 * @returns `undefined` if there is none, or either is not a version.
 */
export function pathProblem(
  from: string,
  to: string,
  step = 1,
): string | undefined {
  const [old, next] = [parseVersion(from), parseVersion(to)];
  if (old === undefined || next === undefined) return undefined;
  if (compareVersions(next, old) < 0) {
    return `${to} is older than ${from}, and may not understand the data of the newer version on disk`;
  }
  if (next.major !== old.major || next.minor > old.minor + step) {
    const versions = step === 1
      ? "one minor version"
      : `${step} minor versions`;
    return `${to} is more than ${versions} ahead of ${from}`;
  }
  return undefined;
}

/**
 * Returns an error text for a node that is too old for a flag.
 *
 * @param flag `--mode force`.
 * @param first Minor version of line 1 that introduced it: 12.
 * @param version Version of the node: `v1.9.3`; empty if unknown.
 * @returns `undefined` if the node is new enough or its version is unknown.
 */
export function flagProblem(
  flag: string,
  first: number,
  version: string,
): string | undefined {
  const own = parseVersion(version);
  if (own === undefined || own.major > 1 || own.minor >= first) {
    return undefined;
  }
  return `${flag} needs v1.${first} or later, and the node runs ${version}`;
}
