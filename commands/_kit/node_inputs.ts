/** Flags for the number of nodes a command may take down at once. */

import { RefusedError, UsageError } from "../../errors.ts";
import { addressFamily } from "../../lib/ip.ts";
import type { AnyOperation } from "../../workflows/operations/operation.ts";
import type { Context } from "./command.ts";
import {
  duration,
  type Flag,
  InputProblem,
  strings,
  text,
  toggle,
  type Values,
} from "./inputs.ts";

/** Flags of commands that take nodes down. */
export const budgetInputs = {
  maxUnavailable: {
    ...text(
      "maximum number or percentage of nodes unavailable at once",
      { shown: "1", step: false },
    ),
    parse(value: string): string {
      if (/^[1-9]\d*$|^(?:100|[1-9]\d?)%$/.test(value)) return value;
      throw new InputProblem(
        'must be a number of nodes or a percentage such as "25%"',
      );
    },
  },
};

/** Flags of commands that drain nodes before they reboot. `initial`: whether they do by default. */
export const drainInputs = (summary: string, initial: boolean) => ({
  drain: toggle(summary, { initial }),
  drainTimeout: duration("timeout for draining one node", {
    initial: "5m0s",
  }),
});

export type BudgetInputs = Values<typeof budgetInputs>;

/**
 * Creates `--timeout` of commands that change all nodes at once.
 *
 * @param longest Default, such as `30s`.
 */
export function longestWait(longest: string): Flag<number> {
  return duration("timeout", { initial: longest, step: "timeout" });
}

/**
 * Creates `--timeout` of commands that may change nodes one after another.
 *
 * @param each Default for each node, such as `30m0s`.
 */
export function waitFlag(each: string): Flag<number | undefined> {
  const flag = duration(
    "timeout for all nodes together; the default is for each node",
    { initial: each, step: "timeout" },
  );
  return { ...flag, initial: undefined, parse: (text) => flag.parse(text, 0) };
}

const everyNode = "100%";

/** Inputs that limit the number of unavailable nodes. */
interface WatchInputs extends Partial<BudgetInputs> {
  /** `--wait`. */
  readonly wait: boolean;
  /** `--debug`, which implies waiting. */
  readonly debug?: boolean;
  /** `--insecure`. */
  readonly insecure?: boolean;
}

/**
 * Maximum number of nodes that may be unavailable at once. Returns a number or percentage; `undefined` for the
 * default. Throws `RefusedError` without `--wait`: the number of unavailable nodes would be unknown.
 */
export function unavailableLimit(
  { input, environment }: Pick<Context<WatchInputs>, "input" | "environment">,
  { rolling }: AnyOperation,
  total: number,
): string | undefined {
  const { maxUnavailable, wait, debug = false, insecure = false } = input;
  if (wait || debug || maxUnavailable === everyNode) return maxUnavailable;
  if (maxUnavailable !== undefined) {
    throw new UsageError("--max-unavailable needs --wait");
  }
  // A node without a configuration is unavailable already.
  const isFree = !rolling || insecure || total === 1 ||
    environment.env("OSCTL_COMPAT") === "peer";
  if (isFree) return everyNode;
  throw new RefusedError(
    `With --wait=false all ${total} nodes would be unavailable at once`,
    {
      hint: "Omit --wait=false, or add: --max-unavailable 100%",
    },
  );
}

/** Flags that name the nodes of a cluster instead of its member list. */
export const clusterInputs = {
  controlPlaneNodes: strings("control plane addresses", {
    shown: "cluster members",
  }),
  workerNodes: strings("worker addresses", {
    shown: "cluster members",
  }),
  initNode: text("address of an additional control plane"),
  k8sEndpoint: text("Kubernetes API endpoint, as HOST or HOST:PORT", {
    shown: "the one in the kubeconfig",
  }),
};

/**
 * Addresses of the named nodes; control planes are empty if no other node is
 * named. Throws `UsageError` for an invalid address.
 */
export function namedAddresses(
  { controlPlaneNodes, workerNodes, initNode }: Values<typeof clusterInputs>,
): {
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
} {
  const init = initNode === undefined ? [] : [initNode];
  const all = [...controlPlaneNodes, ...workerNodes, ...init];
  const wrong = all.find((node) => addressFamily(node) === undefined);
  if (wrong !== undefined) {
    throw new UsageError(`"${wrong}" is not an IP address`, {
      hint: "Use node addresses",
    });
  }
  // The flag alone adds nothing to discovery.
  const isNamed = controlPlaneNodes.length + workerNodes.length > 0;
  return {
    controlPlanes: [...controlPlaneNodes, ...isNamed ? init : []],
    workers: workerNodes,
  };
}

/** Flags for the maintenance service: encrypted, not authenticated; the session evaluates both. */
export const maintenanceInputs = {
  insecure: toggle("connect to the maintenance API, without authentication", {
    short: "i",
    step: false,
  }),
  certFingerprint: strings(
    "accepted server certificate fingerprints, with --insecure",
    { shown: "any", step: false },
  ),
};

export type MaintenanceInputs = Values<typeof maintenanceInputs>;
