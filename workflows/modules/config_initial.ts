/** `config.initial`: gives a node in maintenance mode its first configuration. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { learnSecret, loadDocuments } from "../../config/documents/load.ts";
import { ConfigError, OsctlError, RefusedError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../transport/gen/machine_configuration.ts";
import { readConfigurations } from "../configuration/pending_change.ts";
import { sendConfiguration } from "../configuration/send.ts";
import type { NodeContext, Operation } from "../operations/operation.ts";
import { untilSeen } from "../operations/poll.ts";
import { askUnconfigured } from "../operations/wait_ready.ts";
import { readHandle, readText } from "../runbook_cel/values.ts";
import type { ChangingModule } from "./module.ts";
import { findOwn } from "./node_config.ts";

type InitialInput = {
  readonly address: string;
  /** Hash of the configuration. */
  readonly wanted: string;
  /** Accepted server certificate fingerprint; empty for any. */
  readonly fingerprint: string;
};

/** `taken`: it has a configuration that cannot be read. */
type InitialState = {
  readonly is: "waiting" | "done" | "different" | "taken";
} | { readonly is: "away"; readonly failure: OsctlError };

/** Time in maintenance mode after which a node counts as never configured, in milliseconds. */
const graceMs = 60_000;

/** Creates the operation. `text`: the configuration; absent when only the outcome is of interest. */
function applyInitial(
  text?: string,
): Operation<InitialInput, InitialState, null> {
  return {
    name: "config.initial",
    effect: "write",
    idempotency: "converge",
    quorum: () => "none",
    observe: readState,
    plan(state, { address }) {
      if (state.is === "done") return [];
      if (state.is === "waiting") {
        return [{ action: `apply its first configuration to ${address}` }];
      }
      if (state.is === "away") throw state.failure;
      throw new RefusedError(
        `${address} does not wait for a configuration, and nothing was sent`,
        { hint: "Make a new plan" },
      );
    },
    key: () => null,
    async *apply({ cluster }, { address, fingerprint }) {
      if (text === undefined) {
        throw new ConfigError("The configuration was not kept");
      }
      yield { text: `applying the first configuration to ${address}` };
      const accepted = fingerprint === "" ? [] : [fingerprint];
      const client = await cluster.unconfigured(address, accepted);
      const { modeDetails } = await sendConfiguration(client, {
        text,
        mode: Mode.AUTO,
      });
      if (modeDetails !== "") yield { text: modeDetails };
    },
    async reconcile(context, input) {
      const { is } = await readState(context, input);
      if (is === "done") return is;
      if (is === "different") return "unknown";
      // A configured node installs and boots before it can be read.
      return is === "waiting" ? "not-started" : "in-progress";
    },
    verify(context, input) {
      let last = context.clock.now();
      return untilSeen(context, async () => {
        const { is } = await readState(context, input);
        if (is === "done") {
          return {
            verdict: { outcome: "done", reason: "the node has joined" },
          };
        }
        const { clock } = context;
        if (is !== "waiting") last = clock.now();
        const missing = `${input.address} has not joined the cluster`;
        return clock.now() - last < graceMs ? { missing } : {
          verdict: {
            outcome: "failed",
            code: "not-started",
            reason: `${input.address} is still in maintenance mode`,
          },
        };
      });
    },
  };
}

async function readState(
  { cluster }: Pick<NodeContext, "cluster">,
  { address, wanted }: InitialInput,
): Promise<InitialState> {
  const answer = await askUnconfigured({ node: address, cluster });
  if ("version" in answer) return { is: "waiting" };
  try {
    const { active } = await readConfigurations(await cluster.at(address));
    if (active === wanted) return { is: "done" };
    // A node that boots has not loaded it yet.
    return { is: active === null ? "taken" : "different" };
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    const { failure } = answer;
    return failureKind(failure) === "away"
      ? { is: "away", failure }
      : { is: "taken" };
  }
}

/** Applies the first configuration of a node. */
export const configInitial: ChangingModule = {
  kind: "change",
  name: "config.initial",
  summary: "Apply its first configuration to a node in maintenance mode",
  scope: "cluster",
  operation: applyInitial(),
  input: {
    address: {
      type: "string",
      required: true,
      summary: "Address of the node, which is no member of the cluster yet",
    },
    configurations: {
      type: "secret",
      required: true,
      summary: "Configurations by address, as for config.replace",
    },
    fingerprint: {
      type: "string",
      initial: "",
      summary: "Server certificate fingerprint of the node; empty for any",
    },
  },
  output: {},
  retryable: ["unavailable", "deadline", "not-started"],
  timeout: "30m",
  async prepare({ vault }, input) {
    const address = readText(input, "address") ?? "";
    // The input is required.
    const all = await vault.read(readHandle(input, "configurations")!);
    const own = findOwn(new TextDecoder().decode(all), address);
    if (own === undefined) {
      throw new ConfigError(`There is no configuration for "${address}"`);
    }
    learnSecret(own.text);
    const { documents } = loadDocuments(own.text, address);
    const wanted = await configurationHash(documents);
    const fingerprint = readText(input, "fingerprint") ?? "";
    return {
      operation: applyInitial(own.text),
      input: { address, wanted, fingerprint },
    };
  },
};
