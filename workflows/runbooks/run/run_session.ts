/** What a run is given by the process that starts or resumes it. */

import type { Format } from "../../../terminal/format.ts";
import type {
  ClaimSignals,
  Environment,
} from "../../../terminal/environment.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import type { NodesOptions } from "../../../transport/node/open_nodes.ts";
import type { Programs } from "../../modules/command.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import type { LoadOptions } from "../language/loading/load.ts";
import type { Finders } from "../language/lookup.ts";
import type { OutputPaths } from "./output_files.ts";

/** How a run is run, however it was started. */
export interface RunSettings extends OutputPaths {
  /** Tags that are approved; `*` stands for all that lose no data. */
  readonly yes: readonly string[];
  /** Destructive approvals, as `tag:typed`. */
  readonly yesDestructive: readonly string[];
  /** Nodes at once for steps that disturb no node. */
  readonly parallel: number;
  /** Time to reach a safe point after SIGTERM, in milliseconds. */
  readonly grace: number;
  /** True to continue when the terminal is closed. */
  readonly detach: boolean;
  /** File with the key of the vault. */
  readonly vaultKey: string | undefined;
  /** Whether steps may run programs on this machine. */
  readonly allowCommands: boolean;
  readonly output: Format;
}

/** What the nodes of a context are opened with. */
export interface ContextNodes extends NodesOptions {
  readonly context: string;
  /** Client configuration it is in; absent where it may not be changed. */
  readonly osconfig?: string | undefined;
  /** URL of the Kubernetes API; default the one in the kubeconfig. */
  readonly kubernetesServer?: string;
}

/** What steps of commands work with. */
export interface StepEnvironment {
  readonly nodes: Nodes;
  /** Opens others; default those of the command line. */
  readonly reopen?: (
    selection: { readonly nodes: readonly string[] },
  ) => Nodes;
  /** Runs programs on this machine; absent where they are not allowed. */
  readonly programs?: Programs | undefined;
  /** Present moment; default that of the environment. */
  readonly now?: () => Date;
  /** Folder in the place of the user's home, with the osconfig `config`; default the user's own. */
  readonly home?: string;
}

/** The process that starts or resumes a run. */
export interface RunSession {
  /** Streams, environment variables, clock. */
  readonly environment: Environment;
  readonly clock: OperationClock;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Tells the person who waits something, as one line. */
  readonly note: (text: string) => void;
  /** Takes over what signals mean; absent where none are sent. */
  readonly claimSignals?: ClaimSignals | undefined;
  /** What runbooks are loaded with. */
  readonly load: LoadOptions;
  readonly steps: (given: StepEnvironment) => Finders;
  /**
   * What the nodes of a context are opened with; nothing is sent.
   *
   * @param context Its name, unless the command line names another; default the current one.
   * @throws {UsageError} If single nodes are selected: a run is about a cluster.
   */
  readonly connect: (
    context: string | undefined,
    signal: AbortSignal,
  ) => Promise<ContextNodes>;
}
