/** What a node is doing just now; a boot starts it anew. */

import type { SequenceName } from "../boot/sequences.ts";

/** A sequence that runs. */
export interface RunningSequence {
  /** Its name. */
  readonly name: SequenceName;
  /** Aborts when another sequence takes its place. */
  readonly replaced: AbortController;
  /** Resolves when it has come to its end. */
  readonly ended: Promise<void>;
}

/** An installer that runs. */
export interface RunningInstaller {
  /** Command line. */
  readonly args: string;
}

/** What a node is doing. */
export interface UnderWay {
  /** The one sequence it may run. */
  sequence?: RunningSequence | undefined;
  /** The one installer it may run. */
  installer?: RunningInstaller | undefined;
  /** True while a configuration is being applied. */
  configuring?: boolean;
  /** True once a configuration was taken that a reboot brings into effect. */
  awaitingReboot?: boolean;
  /** Ends the trial of a configuration that goes back by itself. */
  trial?: AbortController | undefined;
}
