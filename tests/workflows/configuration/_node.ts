/** A node with configurations, a clock that jumps, and what happens as time goes by. */

import { configurationHash } from "../../../config/change/configuration_hash.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import { yamlSpecAnnotation } from "../../../talos.ts";
import { RpcError } from "../../../errors.ts";
import type { DesiredState } from "../../../workflows/configuration/desired_state.ts";
import type {
  NodeContext,
  OperationProgress,
} from "../../../workflows/operations/operation.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { viewCluster } from "../../../workflows/operations/cluster_view.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

/** The configuration from before. */
export const before = "machine:\n    type: worker\n";

/** The configuration that is wanted. */
export const after =
  'machine:\n    type: worker\n    sysctls:\n        a: "1"\n';

/** Someone else's configuration. */
export const foreign = "machine:\n    type: controlplane\n";

/** Hash of a configuration. */
export function hashText(text: string): Promise<string> {
  return configurationHash(loadDocuments(text, "c.yaml").documents);
}

/** A node as a test changes it. */
export interface TrialNode {
  /** The configuration it runs with. */
  active: string;
  /** The one of its next boot; `undefined` for an old node, which does not show it. */
  saved: string | undefined;
  /** True while it cannot be reached. */
  away: boolean;
  /** Its new address; `undefined` if it did not change. */
  place: string | undefined;
  readonly sent: number[];
  open: number;
}

export interface Stage {
  readonly node: TrialNode;
  readonly context: NodeContext;
  readonly aim: DesiredState;
  /** Time that passed, in milliseconds. */
  readonly now: () => number;
  readonly abort: () => void;
}

export interface StageOptions {
  readonly node?: Partial<TrialNode>;
  readonly aim?: Partial<DesiredState>;
  readonly handlers?: FakeNode;
  /** Happens when the time in milliseconds has come. */
  readonly later?:
    readonly (readonly [ms: number, (node: TrialNode) => void])[];
  /** Called when a configuration is sent; what it raises is the answer. */
  readonly onApply?: (node: TrialNode) => void;
}

/** Makes a node with the old configuration. */
export async function makeStage(options: StageOptions = {}): Promise<Stage> {
  const node: TrialNode = {
    active: before,
    saved: before,
    away: false,
    place: undefined,
    sent: [],
    open: 0,
    ...options.node,
  };
  const stop = new AbortController();
  let elapsed = 0;
  const left = [...options.later ?? []];
  const clock: OperationClock = {
    now: () => elapsed,
    sleep(ms) {
      elapsed += ms;
      while (left[0] !== undefined && left[0][0] <= elapsed) {
        left.shift()?.[1](node);
      }
      return Promise.resolve();
    },
  };
  const reach = () => {
    if (node.away) throw new RpcError("UNAVAILABLE", "connection refused");
  };
  const { nodes } = fakeNodes({
    a: {
      get({ type, id }: { type: string; id: string }) {
        reach();
        const spec = !type.startsWith("MachineConfigs")
          ? undefined
          : id === "persistent"
          ? node.saved
          : node.active;
        if (spec === undefined) throw new RpcError("NOT_FOUND", "not found");
        return {
          resource: {
            metadata: { annotations: { [yamlSpecAnnotation]: "1" } },
            spec: { yamlSpec: JSON.stringify(spec) },
          },
        };
      },
      applyConfiguration({ data, mode }: { data: Uint8Array; mode: number }) {
        reach();
        node.sent.push(mode);
        node.active = node.saved = new TextDecoder().decode(data);
        options.onApply?.(node);
        return { messages: [{ mode, warnings: [], modeDetails: "" }] };
      },
      ...options.handlers,
    },
  });
  const client = await nodes.at("a");
  return {
    node,
    context: {
      node: "a",
      client,
      cluster: viewCluster(nodes, clock),
      signal: stop.signal,
      clock,
    },
    aim: {
      from: await hashText(before),
      wanted: await hashText(after),
      places: [],
      moves: false,
      dial(_node, place) {
        if (place !== node.place) {
          return Promise.reject(new RpcError("UNAVAILABLE", `not at ${place}`));
        }
        node.open++;
        return Promise.resolve({ client, close: () => void node.open-- });
      },
      ...options.aim,
    },
    now: () => elapsed,
    abort: () => stop.abort(),
  };
}

/** Runs to the end; what was reported on the way, and what came of it. */
export async function untilOutcome<T>(
  steps: AsyncGenerator<OperationProgress, T>,
): Promise<{ readonly reported: readonly string[]; readonly end: T }> {
  const reported: string[] = [];
  while (true) {
    const { done, value } = await steps.next();
    if (done) return { reported, end: value };
    reported.push(value.text);
  }
}
