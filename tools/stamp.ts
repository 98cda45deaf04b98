/** Build facts of `release.ts`. */

/** Build facts in `release.ts`. */
export interface Stamp {
  /** Version tag; `-dev` when the commit does not have that tag. */
  readonly tag: string;
  /** Commit, with `-dirty` for changed files; empty without a repository. */
  readonly sha: string;
  /** Time of the build, ISO 8601 in UTC, to the second. */
  readonly built: string;
}

interface StampFacts {
  /** Version in `deno.json`. */
  readonly version: string;
  /** Runs git in the repository; `undefined` if it fails or is missing. */
  readonly git: (...args: readonly string[]) => Promise<string | undefined>;
  /** `SOURCE_DATE_EPOCH`, in seconds since 1970: the build time; default that of the commit, otherwise now. */
  readonly epoch: string | undefined;
  readonly now: Date;
}

/**
 * Creates the stamp of a build.
 *
 * @param facts Version, repository and time.
 * @throws {Error} If the commit has another version tag than `deno.json`.
 */
export async function makeStamp(facts: StampFacts): Promise<Stamp> {
  const { version, git, epoch, now } = facts;
  const commit = await git("rev-parse", "HEAD");
  const changed = await git("status", "--porcelain", "--untracked-files=no");
  const exact = ["--exact-match", "--tags", "--match", "v[0-9]*", "HEAD"];
  const tag = await git("describe", ...exact);
  if (tag !== undefined && tag !== `v${version}`) {
    throw new Error(
      `Cannot build tag "${tag}": deno.json has version "${version}"`,
    );
  }
  const dirty = (changed ?? "") !== "";
  const seconds = epoch ??
    (dirty ? undefined : await git("show", "-s", "--format=%ct", "HEAD"));
  const time = seconds === undefined ? now : new Date(Number(seconds) * 1_000);
  return {
    tag: tag === undefined || dirty ? `v${version}-dev` : tag,
    sha: commit === undefined ? "" : `${commit}${dirty ? "-dirty" : ""}`,
    built: time.toISOString().replace(/\.\d+Z$/, "Z"),
  };
}

/**
 * Runs git in a folder.
 *
 * @param root The folder.
 */
export function gitIn(root: URL): StampFacts["git"] {
  return async (...args) => {
    try {
      const { success, stdout } = await new Deno.Command("git", {
        args: [...args],
        cwd: root,
        stderr: "null",
      }).output();
      return success ? new TextDecoder().decode(stdout).trim() : undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  };
}
