import type { Json } from "../operations/operation.ts";
import type { Check, CheckSite, Finding } from "./check.ts";
import {
  controlPlanesOf,
  counted,
  goneField,
  groupField,
  unless,
} from "./finding.ts";
import { isNamed, presentMembers } from "./present_members.ts";

/** Whether every control plane has a member, and every member a control plane. */
export const etcdMembersEqualControlPlane: Check = {
  name: "etcd.membersEqualControlPlane",
  summary: "The members of etcd are the control planes, and no others",
  scope: "cluster",
  input: {
    group: groupField,
    gone: goneField,
    learners: {
      type: "int",
      summary: "Members that may be without a vote",
      initial: 0,
    },
  },
  async look(site, input) {
    if (input.gone !== undefined) return await lookByName(site, input);
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

/** Where machines are exchanged those that are there now count: a member has the name of its node. */
async function lookByName(
  site: CheckSite,
  { gone, learners = 0 }: Readonly<Record<string, Json>>,
): Promise<Finding> {
  const present = (await presentMembers(site))
    .filter((one) => one.controlPlane && !isNamed(one, gone))
    .map(({ hostname }) => hostname);
  const { facts: { members } } = await site.cluster.readEtcd();
  const named = new Set(members.map(({ name }) => name));
  const silent = members.filter(({ learner }) => learner);
  return unless([
    ...present.filter((name) => !named.has(name))
      .map((name) => `${name} is no member of etcd`),
    ...members.filter(({ name }) => !present.includes(name))
      .map(({ name, id }) =>
        `member ${name || id} is on none of the control planes`
      ),
    ...silent.length > Number(learners)
      ? [`${counted(silent.length, "member")} without a vote`]
      : [],
  ], `${counted(members.length, "member")} on as many control planes`);
}
