/** The git commit of a site. */

import { ConfigError } from "../../errors.ts";
import type { Site } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";

/** Commit of a directory. */
export interface SiteCommit {
  /** Hash of the commit; empty outside of a repository. */
  readonly commit: string;
  /** True if files of the directory are changed or not in git. */
  readonly isDirty: boolean;
}

/** Reads the commit with `git`; empty where git is not installed. */
export async function readCommit(
  { folder }: Pick<Site, "folder">,
  { runProgram, signal }: SiteEnvironment,
): Promise<SiteCommit> {
  const git = async (...args: readonly string[]) => {
    const call = {
      program: "git",
      args: ["-C", folder || ".", ...args],
      input: null,
      env: {},
    };
    const { status, stdout } = await runProgram(call, signal);
    return status === 0 ? stdout.trim() : "";
  };
  try {
    const commit = await git("rev-parse", "--verify", "HEAD");
    const changes = commit && await git("status", "--porcelain", "--", ".");
    return { commit, isDirty: changes !== "" };
  } catch (error) {
    if (error instanceof ConfigError) return { commit: "", isDirty: false };
    throw error;
  }
}
