/** etcd of a healthy cluster. */

import type { EtcdMember } from "../../../transport/gen/machine.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { hexadecimal } from "../../etcd/etcd_facts.ts";
import { answerMs, askAll, problemsOf } from "../finding.ts";
import { readService, serviceProblem } from "../service_state.ts";
import { type HealthCheck, waitingFor } from "./health_check.ts";
import { askedAt } from "./health_nodes.ts";

const limitMs = 5 * 60_000;

/** etcd runs on every control plane and says that it is healthy. */
export const etcdHealthy: HealthCheck = {
  name: "etcd to be healthy",
  limitMs,
  async look(site) {
    const nodes = askedAt(site.nodes.controlPlanes);
    return waitingFor(
      await problemsOf(
        site,
        nodes,
        async (client) =>
          serviceProblem("etcd", await readService(client, "etcd"), true),
      ),
    );
  },
};

/** All control planes list the same members. */
export const etcdConsistent: HealthCheck = {
  name: "etcd members to be consistent across nodes",
  limitMs,
  async look(site) {
    const nodes = askedAt(site.nodes.controlPlanes);
    const { values, problems } = await askAll(site, nodes, membersSeenBy);
    const [first, ...others] = [...values].map(([node, members]) =>
      [node, members.map(identity).toSorted().join(", ")] as const
    );
    if (first === undefined) return waitingFor(problems);
    const [reference, expected] = first;
    return waitingFor([
      ...problems,
      ...others.filter(([, list]) => list !== expected).map(([node, list]) =>
        `${node} lists the members ${list}, and ${reference} lists ${expected}`
      ),
    ]);
  },
};

/** Members are on control planes only. */
export const etcdOnControlPlanes: HealthCheck = {
  name: "etcd members to be control plane nodes",
  limitMs,
  async look(site) {
    const { controlPlanes } = site.nodes;
    const nodes = askedAt(controlPlanes);
    const { values, problems } = await askAll(site, nodes, membersSeenBy);
    const [members] = values.values();
    if (members === undefined) return waitingFor(problems);
    const known = new Set(controlPlanes.flatMap(({ addresses }) => addresses));
    return waitingFor(
      members.flatMap((member) =>
        member.peerUrls.map(hostOf).filter((host) => !known.has(host))
          .map((host) =>
            `member ${
              member.hostname || hexadecimal(member.id)
            } is at ${host}, which is no control plane`
          )
      ),
    );
  },
};

async function membersSeenBy(
  { machine }: NodeClient,
): Promise<readonly EtcdMember[]> {
  const answer = await machine.etcdMemberList({}, { deadlineMs: answerMs });
  return single(answer.messages).members;
}

function identity({ id, hostname, isLearner }: EtcdMember): string {
  const learner = isLearner ? " (learner)" : "";
  return `${hostname || hexadecimal(id)}${learner}`;
}

function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.replace(/^\[|\]$/g, "");
}
