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
import { concludeTrial } from "./trial.ts";
import type { TrialCheck } from "../../configuration/checks.ts";
import type {
  NodeContext,
  Operation,
  OperationProgress,
  Reconciled,
  Verdict,
} from "../operation.ts";
import { reconcileBoot } from "../boot_key.ts";

/** How a configuration takes effect. */
export type ApplyMode = "auto" | "no-reboot" | "reboot" | "staged" | "try";

/** What is asked for. */
export type ApplyInput = {
  readonly mode: ApplyMode;
  /** Time after which a node goes back, with mode `try`, in milliseconds. */
  readonly tryMs: number;
  /** False to leave what is on trial to itself. */
  readonly confirm: boolean;
  /** What has to be well before a trial is confirmed, beside the node's answer. */
  readonly checks: readonly TrialCheck[];
  /** Hash of the configuration by node. */
  readonly wanted: { readonly [node: string]: string };
  /** Hash of the configuration that the wanted one was made from, by node; none for one that replaces whatever there is. */
  readonly madeFrom?: { readonly [node: string]: string };
  /** Addresses a node may answer at afterwards. */
  readonly places: { readonly [node: string]: readonly string[] };
  /** Nodes that do not answer any more where they do now. */
  readonly moving: readonly string[];
};

interface ApplySeen extends ConfigurationState {
  readonly node: string;
  /** Identity of its boot; null when the role may not read it. */
  readonly bootId: string | null;
  /** When it was checked, in milliseconds since 1970. */
  readonly at: number;
}

/** What tells an attempt from others. */
export type ApplyKey = {
  /** Hash of the configuration from before; null when there was none. */
  readonly from: string | null;
  /** Hash of the configuration that is wanted. */
  readonly wanted: string;
  /** Identity of the boot in which it began. */
  readonly bootId: string | null;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
};

/** What an operation of this kind cannot have as input: it is secret, or no data. */
export interface ApplySource {
  /** The configuration for a node, YAML; `undefined` when it was not kept. */
  readonly textOf: (node: string) => string | undefined;
  /** Makes new connections; the one there is serves if omitted. */
  readonly dial?: DialNode;
  /** Called with what a node answered. */
  readonly answered: (node: string, answer: ApplyConfiguration) => void;
  /** True for nodes in maintenance mode: they cannot be asked for their state, neither before nor afterwards. */
  readonly maintenance?: boolean;
}

/** Longest time for the answer to a configuration, in milliseconds. */
const deadlineMs = 30_000;

const applyModes: Readonly<Record<ApplyMode, Mode>> = {
  auto: Mode.AUTO,
  "no-reboot": Mode.NO_REBOOT,
  reboot: Mode.REBOOT,
  staged: Mode.STAGED,
  try: Mode.TRY,
};

/**
 * Makes the operation `apply-config`. Source: `MachineService.ApplyConfiguration`.
 *
 * @param source Configurations and connections; without it nothing can be sent, only found out.
 */
export function applyConfig(
  source: ApplySource,
  reboots: boolean,
): Operation<ApplyInput, ApplySeen, ApplyKey> {
  // What the node decided, when the reply was not lost.
  const answered = new Map<string, ApplyMode>();
  const sent = new Map<string, number>();
  // Most nodes are given the same text.
  const read = new Map<string, readonly ConfigDocument[]>();

  async function* apply(
    { node, client, clock }: NodeContext,
    { mode, tryMs }: ApplyInput,
  ): AsyncGenerator<OperationProgress, void> {
    const text = source.textOf(node);
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
    for (const text of answer.warnings) yield { text: `WARNING: ${text}` };
    if (answer.modeDetails !== "") yield { text: answer.modeDetails };
  }

  async function* verify(
    site: NodeContext,
    input: ApplyInput,
    key: ApplyKey,
  ): AsyncGenerator<OperationProgress, Verdict> {
    const { node } = site;
    if (source.maintenance) return acceptedByNode;
    const expected = input.mode === "auto" && reboots ? "reboot" : input.mode;
    const aim = findAim(site, input, key);
    switch (answered.get(node) ?? expected) {
      case "staged":
        return yield* untilSaved(site, aim);
      case "reboot":
        return yield* untilRebooted(site, aim, key.bootId);
      case "try":
        if (!input.confirm) return { outcome: "accepted", reason: unconfirmed };
        return yield* concludeTrial(site, {
          ...aim,
          text: source.textOf(node) ?? "",
          checks: input.checks,
          endsAt: (sent.get(node) ?? key.at) + input.tryMs,
          tryMs: input.tryMs,
        });
      default:
        return yield* untilActive(site, aim);
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
      return [{ action: `apply configuration (${mode})` }];
    },
    key: ({ node, active, bootId, at }, { wanted }) => ({
      from: active,
      wanted: wanted[node] ?? "",
      bootId,
      at,
    }),
    apply,
    reconcile: (site, input, key) =>
      source.maintenance
        ? Promise.resolve("unknown")
        : reconcileConfiguration(site, findAim(site, input, key), {
          bootId: key.bootId,
          reboots,
          staged: input.mode === "staged",
        }),
    verify,
  };
}

/** For those who only find out what became of it: configurations are not in journals. */
export const applyConfigOperation: Operation<ApplyInput, ApplySeen, ApplyKey> =
  applyConfig({ textOf: () => undefined, answered() {} }, true);

const acceptedByNode: Verdict = {
  outcome: "accepted",
  reason: "accepted by the node",
};

const unconfirmed = "applied on trial: the node reverts unless confirmed";

/** A change of another client since then would be lost. */
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

/** How long a node has to have its old configuration before the new one counts as not taken, in milliseconds. */
const steadyMs = 3_000;

/** How long a node that cannot be reached is waited for, in milliseconds. */
const patienceMs = 30_000;

interface ApplyAttempt {
  /** Identity of the boot it began in; null when it may not be read. */
  readonly bootId: string | null;
  /** Whether the node was to reboot. */
  readonly reboots: boolean;
  /** Whether it was to be put by for the next boot. */
  readonly staged: boolean;
}

/** Finds out by comparing configurations; nothing is sent. */
export async function reconcileConfiguration(
  site: NodeContext,
  aim: DesiredState,
  attempt: ApplyAttempt,
): Promise<Reconciled> {
  if (attempt.reboots) return await reconcileBoot(site, attempt);
  const { node, clock } = site;
  let steadySince: number | undefined;
  for await (const _ of poll(site, { timeoutMs: patienceMs })) {
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

/** Another configuration than both is someone else's. */
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
