/** Where a kubeconfig goes. */

import { kindAt } from "../config/kubeconfig/file.ts";
import { ConfigError } from "../errors.ts";
import type { Environment } from "../terminal/environment.ts";

/** What decides. */
export interface TargetRequest {
  /** Path as given. */
  readonly path: string | undefined;
  /** Whether it is merged into what is there. */
  readonly merge: boolean;
  /** Whether what is there may be replaced. */
  readonly force: boolean;
}

/** Where it goes. */
export type KubeconfigTarget =
  | {
    /** To standard output. */
    readonly kind: "output";
  }
  | {
    /** To a file that is not there yet, to one whose content goes, to one whose content stays. */
    readonly kind: "new" | "replaced" | "merged";
    /** Path of the file. */
    readonly path: string;
  };

/**
 * Finds where a kubeconfig goes; nothing is written. Source: fact sheet of node commands, section kubeconfig.
 *
 * @param request What the user asked for.
 * @param environment Environment.
 * @throws {ConfigError} If the file may not be replaced, or nothing says which it is.
 */
export async function kubeconfigTarget(
  request: TargetRequest,
  environment: Pick<Environment, "env" | "os">,
): Promise<KubeconfigTarget> {
  const { path: given, merge, force } = request;
  if (given === "-") return { kind: "output" };
  const named = given ?? (merge ? usualPath(environment) : "kubeconfig");
  const isFolder = await kindAt(named) === "folder";
  const path = isFolder ? `${named.replace(/\/+$/, "")}/kubeconfig` : named;
  const kind = isFolder ? await kindAt(path) : await kindAt(named);
  if (kind === "folder") {
    throw new ConfigError(`Cannot write kubeconfig "${path}": it is a folder`);
  }
  if (kind === "nothing") return { kind: "new", path };
  if (merge) return { kind: "merged", path };
  if (force) return { kind: "replaced", path };
  throw new ConfigError(`Kubeconfig "${path}" is there already`, {
    hint: "Use --force to overwrite it, or --merge to keep what it holds",
  });
}

/** Where other programs look: `$KUBECONFIG`, else below the home directory. */
function usualPath({ env, os }: Pick<Environment, "env" | "os">): string {
  const listed = (env("KUBECONFIG") ?? "").split(os === "windows" ? ";" : ":")
    .filter((path) => path !== "");
  const [only, ...others] = listed;
  if (others.length > 0) {
    throw new ConfigError(
      `KUBECONFIG names ${listed.length} files: ${listed.join(", ")}`,
      { hint: "Name one of them as argument" },
    );
  }
  if (only !== undefined) return only;
  const home = env("HOME") || env("USERPROFILE");
  if (home) return `${home.replace(/\/+$/, "")}/.kube/config`;
  throw new ConfigError("Cannot find a place for the kubeconfig", {
    hint: "Set HOME or KUBECONFIG, or name a file as argument",
  });
}
