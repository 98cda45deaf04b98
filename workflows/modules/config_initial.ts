/** `config.initial`: gives a node in maintenance mode its first configuration. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { learnSecret, loadDocuments } from "../../config/documents/load.ts";
import { ConfigError, OsctlError, RefusedError } from "../../errors.ts";
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

type InitialState = "waiting" | "done" | "other";

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
      if (state === "done") return [];
      if (state === "waiting") {
        return [{ action: `apply its first configuration to ${address}` }];
      }
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
    async reconcile(site, input) {
      const state = await readState(site, input);
      return state === "waiting"
        ? "not-started"
        : state === "done"
        ? state
        : "unknown";
    },
    verify: (site, input) =>
      untilSeen(
        site,
        async () =>
          await isConfigured(site, input)
            ? { verdict: { outcome: "done", reason: "the node has joined" } }
            : { missing: `${input.address} has not joined the cluster` },
      ),
  };
}

async function readState(
  site: NodeContext,
  input: InitialInput,
): Promise<InitialState> {
  const { address } = input;
  const { cluster } = site;
  const answer = await askUnconfigured({ node: address, cluster });
  if ("version" in answer) return "waiting";
  return await isConfigured(site, input) ? "done" : "other";
}

async function isConfigured(
  { cluster }: NodeContext,
  { address, wanted }: InitialInput,
): Promise<boolean> {
  try {
    const { active } = await readConfigurations(await cluster.at(address));
    return active === wanted;
  } catch (error) {
    if (error instanceof OsctlError) return false;
    throw error;
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
    return await prepareInitial(own.text, {
      address,
      fingerprint: readText(input, "fingerprint") ?? "",
    });
  },
};

/** Makes the operation and its input from a configuration. */
export async function prepareInitial(
  text: string,
  node: Pick<InitialInput, "address" | "fingerprint">,
) {
  learnSecret(text);
  const { documents } = loadDocuments(text, node.address);
  const wanted = await configurationHash(documents);
  return { operation: applyInitial(text), input: { ...node, wanted } };
}
