/** Settings and session of the process that starts or resumes a run. */

import type { Format } from "../../../terminal/format.ts";
import type {
  ClaimSignals,
  Environment,
} from "../../../terminal/environment.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import type { NodesOptions } from "../../../transport/node/open_nodes.ts";
import type { Programs } from "../../modules/command.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { NewCluster } from "../engine/run_cluster.ts";
import type { LoadOptions } from "../language/loading/load.ts";
import type { Finders } from "../language/lookup.ts";
import type { OutputPaths } from "./output_files.ts";

/** Settings of a run, for both start and resume. */
export interface RunSettings extends OutputPaths {
  /** Approved tags; `*` for all without data loss. */
  readonly yes: readonly string[];
  /** Destructive approvals, as `tag:typed`. */
  readonly yesDestructive: readonly string[];
  /** Nodes at once for steps that disturb no node. */
  readonly parallel: number;
  /** Time to reach a safe point after SIGTERM, in milliseconds. */
  readonly grace: number;
  /** True to continue after the terminal is closed. */
  readonly detach: boolean;
  /** Key file of the vault. */
  readonly vaultKey: string | undefined;
  /** True if steps may run programs on this machine. */
  readonly allowCommands: boolean;
  readonly output: Format;
}

/** Connection options of the nodes of a context. */
export interface ContextNodes extends NodesOptions {
  readonly context: string;
  /** Client configuration of the context; absent where it must not be changed. */
  readonly osconfig?: string | undefined;
  /** URL of the Kubernetes API; default the one in the kubeconfig. */
  readonly kubernetesServer?: string;
}

/** Environment of steps that run commands. */
export interface StepEnvironment {
  readonly nodes: Nodes;
  /** Opens other nodes; default those of the command line. */
  readonly reopen?: (
    selection: { readonly nodes: readonly string[] },
  ) => Nodes;
  /** Runs programs on this machine; absent where not allowed. */
  readonly programs?: Programs | undefined;
  /** Current time; default the clock of the environment. */
  readonly now?: () => Date;
  /** Replaces the user's home folder, with the osconfig `config`; default the user's own. */
  readonly home?: string;
}

/** Session of the process that starts or resumes a run. */
export interface RunSession {
  /** Streams, environment variables, clock. */
  readonly environment: Environment;
  readonly clock: OperationClock;
  /** Aborts on an interrupt. */
  readonly signal: AbortSignal;
  /** Prints a note for the user, as one line. */
  readonly note: (text: string) => void;
  /** Takes over signal handling; absent where signals are not supported. */
  readonly claimSignals?: ClaimSignals | undefined;
  /** Options for loading runbooks. */
  readonly load: LoadOptions;
  readonly steps: (given: StepEnvironment) => Finders;
  /** Cluster that new runs create; absent if it exists. */
  readonly created?: NewCluster | undefined;
  /**
   * Makes the connection options of a context; nothing is sent.
   *
   * @param context Its name, unless --context is set; default the current context.
   * @throws {UsageError} If single nodes are selected: a run covers a cluster.
   */
  readonly connect: (
    context: string | undefined,
    signal: AbortSignal,
  ) => Promise<ContextNodes>;
}
