/** Nodes of a healthy cluster. */

import { domain } from "../../../dialect.ts";
import { RpcError } from "../../../errors.ts";
import { readMachineState } from "../../operations/machine_state.ts";
import { single } from "../../../transport/call/reply.ts";
import { parseSpec } from "../../../transport/node/resource_yaml.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { answerMs, askAll, problemsOf } from "../finding.ts";
import { readService, serviceProblem } from "../service_state.ts";
import { type HealthCheck, waitingFor } from "./health_check.ts";
import { allOf, askedAt } from "./health_nodes.ts";

const limitMs = 5 * 60_000;

/** All nodes answer. */
export const apidReady: HealthCheck = {
  name: "apid to be ready",
  limitMs,
  async look(site) {
    return waitingFor(
      await problemsOf(
        site,
        askedAt(allOf(site.nodes)),
        async ({ machine }) => {
          const answer = await machine.version({}, { deadlineMs: answerMs });
          single(answer.messages);
          return undefined;
        },
      ),
    );
  },
};

/** No node has found something that needs a person. */
export const noDiagnostics: HealthCheck = {
  name: "no diagnostics",
  limitMs: 60_000,
  async look(site) {
    const nodes = askedAt(allOf(site.nodes));
    const { values, problems } = await askAll(site, nodes, diagnosticsOf);
    if ([...values.values()].includes(hidden)) {
      return {
        state: "skipped",
        reason: "a node does not show its diagnostics",
      };
    }
    return waitingFor([
      ...problems,
      ...[...values].flatMap(([node, texts]) =>
        texts.length === 0 ? [] : [`${node}: ${texts.join(", ")}`]
      ),
    ]);
  },
};

/** The kubelet of every node says that it is healthy. */
export const kubeletHealthy: HealthCheck = {
  name: "kubelet to be healthy",
  limitMs,
  async look(site) {
    const nodes = askedAt(allOf(site.nodes));
    return waitingFor(
      await problemsOf(
        site,
        nodes,
        async (client) =>
          serviceProblem("kubelet", await readService(client, "kubelet"), true),
      ),
    );
  },
};

/** All nodes have booted. */
export const nodesBooted: HealthCheck = {
  name: "all nodes to finish boot sequence",
  limitMs,
  async look(site) {
    const nodes = askedAt(allOf(site.nodes));
    return waitingFor(
      await problemsOf(site, nodes, async (client) => {
        const { stage } = await readMachineState(client);
        return stage === "running"
          ? undefined
          : `stage is ${stage || "not known"}`;
      }),
    );
  },
};

/** The node does not show them. */
const hidden: readonly string[] = [];

async function diagnosticsOf(
  { state }: NodeClient,
): Promise<readonly string[]> {
  const texts: string[] = [];
  try {
    const answers = state.list({
      namespace: "runtime",
      type: `Diagnostics.runtime.${domain}`,
      options: {},
    }, { deadlineMs: answerMs });
    for await (const { resource } of answers) {
      const spec = parseSpec(resource?.spec?.yamlSpec ?? "");
      const { message } = (spec ?? {}) as { readonly message?: unknown };
      texts.push(String(message ?? resource?.metadata?.id ?? ""));
    }
    return texts;
  } catch (error) {
    // The role may not look, or the node is too old to have any.
    const isHidden = error instanceof RpcError &&
      ["PERMISSION_DENIED", "UNIMPLEMENTED", "NOT_FOUND"].includes(error.code);
    if (isHidden) return hidden;
    throw error;
  }
}
