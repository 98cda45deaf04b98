import { poll } from "../../../lib/poll.ts";
import {
  type ConfigDocument,
  loadDocuments,
} from "../../../config/documents/load.ts";
import { ConfigError, OsctlError, RefusedError } from "../../../errors.ts";
import { readBootId } from "../../../transport/stream/boot_id.ts";
import { enumName } from "../../../transport/node/enum_name.ts";
import {
  type ApplyConfiguration,
  ApplyConfigurationRequest_Mode as Mode,
} from "../../../transport/gen/machine_configuration.ts";
import type {
  DesiredState,
  DialNode,
} from "../../configuration/desired_state.ts";
import {
  type ConfigurationState,
  readConfigurations,
  readConnected,
} from "../../configuration/pending_change.ts";
import { sendConfiguration } from "../../configuration/send.ts";
import { untilActive, untilRebooted, untilSaved } from "./wait_applied.ts";
import { concludeTrial } from "./trial_configuration.ts";
import type { TrialCheck } from "../../configuration/checks.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  Reconciled,
  Verdict,
} from "../operation.ts";
import { reconcileBoot } from "../boot_key.ts";

/** Mode in which a configuration takes effect. */
export type ApplyMode = "auto" | "no-reboot" | "reboot" | "staged" | "try";

/** Input of `apply-config`. */
export type ApplyInput = {
  readonly mode: ApplyMode;
  /** Rollback timeout with mode `try`, in milliseconds. */
  readonly tryMs: number;
  /** False to leave a trial unconfirmed. */
  readonly confirm: boolean;
  /** Checks to pass before a trial is confirmed, besides an answer. */
  readonly checks: readonly TrialCheck[];
  /** Hash of the configuration by node. */
  readonly wanted: { readonly [node: string]: string };
  /** Hash of the base configuration of the new one, by node; none for a full replacement. */
  readonly madeFrom?: { readonly [node: string]: string };
  /** Possible addresses of a node afterwards. */
  readonly places: { readonly [node: string]: readonly string[] };
  /** Nodes whose current address changes. */
  readonly moving: readonly string[];
};

interface ApplySeen extends ConfigurationState {
  readonly node: string;
  /** Boot id; null when the role may not read it. */
  readonly bootId: string | null;
  /** Time of the check, in milliseconds since 1970. */
  readonly at: number;
}

/** Identity of an attempt. */
export type ApplyKey = {
  /** Hash of the previous configuration; null if there was none. */
  readonly from: string | null;
  /** Hash of the desired configuration. */
  readonly wanted: string;
  readonly bootId: string | null;
  /** Start time, in milliseconds since 1970. */
  readonly at: number;
};

/** Input that cannot be journaled: secrets and functions. */
export interface ApplySource {
  /** Configuration of a node, YAML; `undefined` when it was not kept. */
  readonly findText: (node: string) => string | undefined;
  /** Opens new connections; default the existing one. */
  readonly dial?: DialNode;
  /** Called with the response of a node. */
  readonly answered: (node: string, answer: ApplyConfiguration) => void;
  /** True for nodes in maintenance mode: their state cannot be read. */
  readonly maintenance?: boolean;
}

/** Timeout for applying a configuration, in milliseconds. */
const deadlineMs = 30_000;

const applyModes: Readonly<Record<ApplyMode, Mode>> = {
  auto: Mode.AUTO,
  "no-reboot": Mode.NO_REBOOT,
  reboot: Mode.REBOOT,
  staged: Mode.STAGED,
  try: Mode.TRY,
};

/**
 * Creates the operation `apply-config`. Source: `MachineService.ApplyConfiguration`.
 *
 * @param source Configurations and connections; without it, only the outcome of an attempt can be found.
 */
export function applyConfig(
  source: ApplySource,
  reboots: boolean,
): Operation<ApplyInput, ApplySeen, ApplyKey> {
  // Mode chosen by the node, unless the response was lost.
  const answered = new Map<string, ApplyMode>();
  const sent = new Map<string, number>();
  // Most nodes get the same text.
  const read = new Map<string, readonly ConfigDocument[]>();

  async function* apply(
    { node, client, clock }: NodeContext,
    { mode, tryMs }: ApplyInput,
  ): AsyncGenerator<OperationProgress, void> {
    const text = source.findText(node);
    if (text === undefined) {
      throw new ConfigError("The node did not keep the configuration", {
        hint: "Apply it again",
      });
    }
    const documents = read.get(text) ?? loadDocuments(text, node).documents;
    read.set(text, documents);
    sent.set(node, clock.now());
    const answer = await sendConfiguration(client, {
      text,
      documents,
      mode: applyModes[mode],
      tryModeTimeout: toDuration(tryMs),
      deadlineMs,
    });
    answered.set(node, modeNamed(answer.mode) ?? mode);
    source.answered(node, answer);
    for (const text of answer.warnings) yield { text: `warning: ${text}` };
    if (answer.modeDetails !== "") yield { text: answer.modeDetails };
  }

  async function* verify(
    context: NodeContext,
    input: ApplyInput,
    key: ApplyKey,
  ): AsyncGenerator<OperationProgress, Verdict> {
    const { node } = context;
    if (source.maintenance) return acceptedByNode;
    const expected = input.mode === "auto" && reboots ? "reboot" : input.mode;
    const aim = findAim(context, input, key);
    switch (answered.get(node) ?? expected) {
      case "staged":
        return yield* untilSaved(context, aim);
      case "reboot":
        return yield* untilRebooted(context, aim, key.bootId);
      case "try":
        if (!input.confirm) return { outcome: "accepted", reason: unconfirmed };
        return yield* concludeTrial(context, {
          ...aim,
          text: source.findText(node) ?? "",
          checks: input.checks,
          endsAt: (sent.get(node) ?? key.at) + input.tryMs,
          tryMs: input.tryMs,
        });
      default:
        return yield* untilActive(context, aim);
    }
  }

  function findAim(
    { node, client }: NodeContext,
    { places, moving }: ApplyInput,
    { from, wanted }: ApplyKey,
  ): DesiredState {
    return {
      places: places[node] ?? [],
      moves: moving.includes(node),
      dial: source.dial ??
        (() => Promise.resolve({ client, close() {} })),
      from,
      wanted,
    };
  }

  return {
    name: "apply-config",
    effect: reboots ? "disrupt" : "write",
    ...(reboots ? { rolling: true as const } : {}),
    idempotency: "converge",
    quorum: () => reboots ? "leaves-temporarily" : "none",
    async observe({ node, client, clock, signal }) {
      const at = clock.now();
      if (source.maintenance) {
        return { active: null, saved: null, node, bootId: null, at };
      }
      const [state, bootId] = await Promise.all([
        readConfigurations(client),
        reboots ? readBootId(client)(signal) : undefined,
      ]);
      return { ...state, node, bootId: bootId ?? null, at };
    },
    plan: (seen, { mode, wanted, madeFrom }) => {
      if (isThere(seen, mode, wanted[seen.node])) return [];
      refuseChanged(seen, madeFrom?.[seen.node]);
      const action = `apply configuration (${mode})`;
      return [reboots ? { action } : { action, gentle: true }];
    },
    key: ({ node, active, bootId, at }, { wanted }) => ({
      from: active,
      wanted: wanted[node] ?? "",
      bootId,
      at,
    }),
    apply,
    reconcile: (context, input, key) =>
      source.maintenance
        ? Promise.resolve("unknown")
        : reconcileConfiguration(context, findAim(context, input, key), {
          bootId: key.bootId,
          reboots,
          staged: input.mode === "staged",
        }),
    verify,
  };
}

/** Finds outcomes only: journals do not contain configurations. */
export const applyConfigOperation: Operation<ApplyInput, ApplySeen, ApplyKey> =
  applyConfig({ findText: () => undefined, answered() {} }, true);

const acceptedByNode: Verdict = {
  outcome: "accepted",
  reason: "accepted by the node",
};

const unconfirmed = "applied on trial: the node reverts unless confirmed";

/** Refuses to overwrite a change of another client since then. */
function refuseChanged({ active }: ApplySeen, madeFrom?: string): void {
  if (madeFrom === undefined || active === null || active === madeFrom) return;
  throw new RefusedError(
    "its configuration has changed since it was read; nothing was sent",
    { hint: "Make the change again" },
  );
}

function isThere(
  { active, saved }: ConfigurationState,
  mode: ApplyMode,
  wanted: string | undefined,
): boolean {
  if (mode === "reboot" || saved !== wanted) return false;
  return mode === "staged" || active === wanted;
}

function modeNamed(mode: Mode): ApplyMode | undefined {
  const name = enumName(Mode, mode).toLowerCase().replaceAll("_", "-");
  return Object.keys(applyModes).includes(name)
    ? name as ApplyMode // one of its keys
    : undefined;
}

function toDuration(ms: number) {
  return {
    seconds: BigInt(Math.floor(ms / 1000)),
    nanos: ms % 1000 * 1_000_000,
  };
}

/** Time a node must keep its old configuration before the new one counts as rejected, in milliseconds. */
const steadyMs = 3_000;

/** Maximum wait for an unreachable node, in milliseconds. */
const patienceMs = 30_000;

interface ApplyAttempt {
  /** Boot id at its start; null when it may not be read. */
  readonly bootId: string | null;
  readonly reboots: boolean;
  /** True for a mode that stages it for the next boot. */
  readonly staged: boolean;
}

/** Finds the outcome by comparing configurations; sends nothing. */
export async function reconcileConfiguration(
  context: NodeContext,
  aim: DesiredState,
  attempt: ApplyAttempt,
): Promise<Reconciled> {
  if (attempt.reboots) return await reconcileBoot(context, attempt);
  const { node, clock } = context;
  let steadySince: number | undefined;
  for await (const _ of poll(context, { timeoutMs: patienceMs })) {
    const state = await glance(node, aim);
    const found = state && judge(state, aim, attempt);
    if (found === "done" || found === "unknown") return found;
    steadySince = found === undefined ? undefined : steadySince ?? clock.now();
    if (steadySince !== undefined && clock.now() - steadySince >= steadyMs) {
      return "not-started";
    }
  }
  return "unknown";
}

async function glance(
  node: string,
  aim: DesiredState,
): Promise<ConfigurationState | undefined> {
  try {
    const { state, close } = await readConnected(node, aim);
    close();
    return state;
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

/** A third configuration is from another client. */
function judge(
  { active, saved }: ConfigurationState,
  { from, wanted }: DesiredState,
  { staged }: ApplyAttempt,
): Reconciled {
  if (staged && saved === null) return "unknown";
  const found = staged ? saved : active;
  if (found === wanted) return "done";
  return staged || found === from ? "not-started" : "unknown";
}
