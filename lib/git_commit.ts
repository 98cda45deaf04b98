/** The git commit of a folder. */

import { ConfigError } from "../errors.ts";
import type { RunProgram } from "./run_program.ts";

/** Commit of a folder. */
interface GitCommit {
  /** Hash of the commit; empty outside of a repository. */
  readonly commit: string;
  /** True if files of the folder are changed or not in git. */
  readonly isDirty: boolean;
}

/** Reads the commit with `git`; empty where git is not installed. */
export async function readCommit(
  folder: string,
  { runProgram, signal }: {
    readonly runProgram: RunProgram;
    readonly signal: AbortSignal;
  },
): Promise<GitCommit> {
  const git = async (...args: readonly string[]) => {
    const all = ["-C", folder || ".", ...args];
    const call = { program: "git", args: all, input: null, env: {} };
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
