import type { Check } from "./check.ts";
import { controlPlanesOf, counted, groupField, unless } from "./finding.ts";

/** Whether every control plane has a member, and every member a control plane. */
export const etcdMembersEqualControlPlane: Check = {
  name: "etcd.membersEqualControlPlane",
  summary: "The members of etcd are the control planes, and no others",
  scope: "cluster",
  input: {
    group: groupField,
    learners: {
      type: "int",
      summary: "Members that may be without a vote",
      initial: 0,
    },
  },
  async look(site, input) {
    const nodes = await controlPlanesOf(site, input);
    const { facts, memberOf } = await site.cluster.readEtcd();
    const ids = new Set(nodes.map((node) => memberOf.get(node)));
    const learners = facts.members.filter(({ learner }) => learner);
    const allowed = Number(input.learners ?? 0);
    return unless([
      ...nodes.filter((node) => memberOf.get(node) === undefined)
        .map((node) => `etcd of ${node} does not answer`),
      ...facts.members.filter(({ id }) => !ids.has(id)).map(({ name, id }) =>
        `member ${name || id} is on none of the control planes`
      ),
      ...learners.length > allowed
        ? [`${counted(learners.length, "member")} without a vote`]
        : [],
    ], `${counted(facts.members.length, "member")} on as many control planes`);
  },
};
