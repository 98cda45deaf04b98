/** What `run` of a step means: a command, or a step that is only of use in a runbook. */

import type { NodeClient } from "../../transport/call/client.ts";
import type {
  AnyOperation,
  Effect,
  Idempotency,
  Json,
  OperationProgress,
  Outcome,
  Site,
  Verdict,
} from "../operations/operation.ts";
import type { ValueFields } from "./field.ts";
import type { OverridableRule } from "./runbook.ts";
import type { ErrorCode } from "../operations/change.ts";
import type { FactName } from "./facts.ts";

/** Name of a secret in the vault, as it is in outputs, inputs and the journal. */
export interface SecretHandle {
  readonly secret: string;
  /** SHA-256 of the public part, hexadecimal; for keys and certificates. */
  readonly fingerprint?: string;
}

/** Secrets of a run. */
export interface Vault {
  /** Keeps a secret; resolves when it survives a crash. Throws `RefusedError` if the name is taken by another value. */
  readonly put: (
    name: string,
    value: Uint8Array<ArrayBuffer>,
    fingerprint?: string,
  ) => Promise<SecretHandle>;
  /** The handle of an entry; `undefined` when there is none. */
  readonly find: (name: string) => SecretHandle | undefined;
  /** Reads a secret. Throws `ConfigError` if there is none of that name. */
  readonly read: (handle: SecretHandle) => Promise<Uint8Array<ArrayBuffer>>;
  /** Names of the entries, in the order they were put. */
  readonly names: () => readonly string[];
}

/** What nodes can be opened with besides the context: the handles of PEM texts. */
export interface Credential {
  /** Name in the ring: `transitional`, `final`. */
  readonly name: string;
  /** CAs a node may be certified by, PEM, one after the other; not secret. */
  readonly ca: string;
  /** Certificate shown to nodes, PEM; not secret. */
  readonly crt: string;
  readonly key: SecretHandle;
}

/** The context a run was started with. */
export interface RingHome {
  readonly name: string;
  readonly endpoints: readonly string[];
  /** Nodes of the context, as written. */
  readonly nodes: readonly string[];
  /** Client configuration it is in; absent where it may not be changed. */
  readonly osconfig?: string | undefined;
}

/** What opens the nodes; every connection of a run tries the entries, the newest first. */
export interface CredentialRing {
  /** The context the run was started with. */
  readonly home: RingHome;
  /** Adds an entry; one of that name is replaced. */
  readonly add: (credential: Credential) => void;
  /** Entries by name; the context the run was started with is `context`. */
  readonly names: () => readonly string[];
  /**
   * A node, shown one entry only; each call has a connection of its own.
   *
   * @param direct True to dial the node itself instead of going through the endpoints.
   * @param trusted Name of the entry whose CAs the other side has to be certified by; default the same.
   */
  readonly at: (
    name: string,
    node: string,
    direct?: boolean,
    trusted?: string,
  ) => Promise<NodeClient>;
}

/** What modules find in a run. */
export interface RunResources {
  /** Folder for files the run makes. */
  readonly artifacts: string;
  /** Secrets of the run. */
  readonly vault: Vault;
  readonly ring: CredentialRing;
}

/** What a step works on: a node, or any endpoint with an empty `node` for those of a cluster. */
export interface StepSite extends Site, RunResources {
  readonly run: string;
  /** Reports whether a safety rule is overridden now; the operator is asked when the run has not done so yet. */
  readonly overridden: (rule: OverridableRule) => Promise<boolean>;
  /** Names of the nodes of a group, in order. */
  readonly group: (name: string) => Promise<readonly string[]>;
  /** Reports how far the step is, as one line. */
  readonly note: (text: string) => void;
}

/** What every module has. */
export interface ModuleHead {
  /** Name with dots: `etcd.snapshot`. */
  readonly name: string;
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  /**
   * `node` for those that work on the node of a fan-out, or on the one that `with.node` names; `any` for those that
   * work on the cluster where there is neither.
   */
  readonly scope: "node" | "cluster" | "any";
  /** What it takes under `with`. */
  readonly input: ValueFields;
  readonly output: ValueFields;
  /** Failures after which a step with `retry` tries again unless it says otherwise; default none. */
  readonly retryable?: readonly ErrorCode[];
  /** Further failures that a runbook may name under `retry.on`; default none. */
  readonly widenable?: readonly ErrorCode[];
  /** Longest time of one attempt when the step says none, in Go's notation; no limit when omitted. */
  readonly timeout?: string;
  /** True when the effect passes by itself, so that it is done again after a stop: a cordon. */
  readonly volatile?: boolean;
  /** False when a run may not stop right behind it: between an install and the restart. Default true. */
  readonly safeAfter?: boolean;
  /** Facts of its node that it may change, where those are fewer than its effect says. */
  readonly changedFacts?: readonly FactName[];
  /** Codes of outcomes that mean something else here than elsewhere: a drain that timed out is `drain-blocked`. */
  readonly codes?: Readonly<Partial<Record<Outcome, ErrorCode>>>;
}

/** A module that only reads, or works on this machine. */
export interface ReadingModule extends ModuleHead {
  readonly kind: "read";
  /** True when it only asks nodes, and writes nothing: a plan asks them, too. */
  readonly looks?: true;
  /** Does it. Returns its output. Throws `OsctlError` for every expected failure. */
  readonly read: (
    site: StepSite,
    input: Readonly<Record<string, Json>>,
  ) => AsyncGenerator<OperationProgress, Readonly<Record<string, Json>>>;
}

/** Values by the names of a module's output. */
export type Outputs = Readonly<Record<string, Json>>;

/** What a step does. */
export type PreparedStep =
  | {
    /** What to do to the node, where that is not the module's own. */
    readonly operation?: AnyOperation;
    readonly input: Json;
    /** Output after a good end; default none. */
    readonly outputOf?: (verdict: Verdict) => Outputs | Promise<Outputs>;
  }
  | {
    /** Output of a step that has nothing to change. */
    readonly output: Outputs;
  };

/** A module that changes something. */
export interface ChangingModule extends ModuleHead {
  readonly kind: "change";
  /** The worst it may do; its sites are {@linkcode StepSite}s. */
  readonly operation: AnyOperation;
  /**
   * Turns what is under `with` into what is done; sends nothing.
   *
   * @throws {OsctlError} For every expected failure.
   */
  readonly prepare: (
    site: StepSite,
    input: Readonly<Record<string, Json>>,
  ) => PreparedStep | Promise<PreparedStep>;
}

/** A module. */
export type Module = ReadingModule | ChangingModule;

/** How bad it is when a module goes wrong. */
export function effectOf(module: Module): Effect {
  return module.kind === "read" ? "read" : module.operation.effect;
}

/** What doing a module again means. */
export function idempotencyOf(module: Module): Idempotency {
  return module.kind === "read" ? "pure" : module.operation.idempotency;
}

/** Finds a module by its name; the command line passes its commands in. */
export type FindModule = (name: string) => Promise<Module | undefined>;

/** Values of those that have one when none is given; made anew, to be changed. */
export function initialsOf(fields: ValueFields): Record<string, Json> {
  const initials: Record<string, Json> = {};
  for (const [name, { initial }] of Object.entries(fields)) {
    if (initial !== undefined) initials[name] = initial;
  }
  return initials;
}
