import { alarmText, countQuorum } from "../etcd/quorum.ts";
import type { Json } from "../../lib/json.ts";
import { readDataDir } from "../etcd/data_dir.ts";
import {
  findProblems,
  isNamed,
  presentMembers,
  readControlPlanes,
  readService,
} from "./ask_nodes.ts";
import {
  type Check,
  type CheckContext,
  type CheckResult,
  goneField,
  groupField,
  holds,
  lacks,
  nodeField,
  requireNode,
  unless,
} from "./check.ts";
import { formatCount } from "../../lib/text/count.ts";

/** Checks that etcd has a leader and enough healthy voters, and how many it could still lose. */
export const etcdQuorum: Check = {
  name: "etcd.quorum",
  summary: "etcd has a leader, and enough voters are healthy",
  scope: "cluster",
  input: {
    spare: {
      type: "int",
      summary: "Healthy voters required beyond the quorum",
      initial: 0,
    },
  },
  async run({ cluster }, { spare = 0 }) {
    const { facts } = await cluster.readEtcd();
    const voters = facts.members.filter(({ learner }) => !learner).length;
    if (voters === 0) {
      const doubts = facts.doubts.join("; ");
      return lacks(doubts || "no control plane reports its etcd state");
    }
    const needed = countQuorum(voters) + Number(spare);
    const text =
      `${facts.healthy.length} of ${voters} voters healthy, ${needed} needed`;
    return facts.healthy.length >= needed ? holds(text) : lacks(text);
  },
};

/** Checks that etcd has no alarm, such as a full database. */
export const etcdNoAlarms: Check = {
  name: "etcd.noAlarms",
  summary: "etcd has no alarms",
  scope: "cluster",
  input: {},
  async run({ cluster }) {
    const { facts } = await cluster.readEtcd();
    if (facts.alarms.length > 0) {
      return lacks(alarmText(facts.alarms));
    }
    return facts.members.length > 0
      ? holds("no alarms")
      : lacks("no control plane reports its etcd state");
  },
};

/** Checks that the member on one node votes, follows a leader and has no error. */
export const etcdMemberHealthy: Check = {
  name: "etcd.memberHealthy",
  summary: "The node's etcd member is a healthy voter",
  scope: "node",
  input: { node: nodeField },
  async run(context, input) {
    const node = requireNode(context, input);
    const { facts, memberOf } = await context.cluster.readEtcd();
    const id = memberOf.get(node);
    if (id === undefined) return lacks(`etcd of ${node} does not answer`);
    if (facts.members.some((one) => one.id === id && one.learner)) {
      return lacks(`member ${id} of ${node} is still a learner`);
    }
    return facts.healthy.includes(id)
      ? holds(`member ${id} is healthy`)
      : lacks(`member ${id} of ${node} has no leader, or reports errors`);
  },
};

/** Checks that every control plane has a member, and every member a control plane. */
export const etcdMembersEqualControlPlane: Check = {
  name: "etcd.membersEqualControlPlane",
  summary: "The etcd members are exactly the control planes",
  scope: "cluster",
  input: {
    group: groupField,
    gone: goneField,
    learners: {
      type: "int",
      summary: "Members that may be learners",
      initial: 0,
    },
  },
  async run(context, input) {
    if (input.gone !== undefined) return await lookByName(context, input);
    const nodes = await readControlPlanes(context, input);
    const { facts, memberOf } = await context.cluster.readEtcd();
    const ids = new Set(nodes.map((node) => memberOf.get(node)));
    const learners = facts.members.filter(({ learner }) => learner);
    const allowed = Number(input.learners ?? 0);
    return unless(
      [
        ...nodes.filter((node) => memberOf.get(node) === undefined)
          .map((node) => `etcd of ${node} does not answer`),
        ...facts.members.filter(({ id }) => !ids.has(id)).map(({ name, id }) =>
          `member ${name || id} belongs to no control plane`
        ),
        ...learners.length > allowed
          ? [`${formatCount(learners.length, "learner")}, ${allowed} allowed`]
          : [],
      ],
      `${
        formatCount(facts.members.length, "member")
      }, one on each control plane`,
    );
  },
};

/** After machines were replaced, matches members to nodes by name. */
async function lookByName(
  context: CheckContext,
  { gone, learners = 0 }: Readonly<Record<string, Json>>,
): Promise<CheckResult> {
  const present = (await presentMembers(context))
    .filter((one) => one.controlPlane && !isNamed(one, gone))
    .map(({ hostname }) => hostname);
  const { facts: { members } } = await context.cluster.readEtcd();
  const named = new Set(members.map(({ name }) => name));
  const silent = members.filter(({ learner }) => learner);
  return unless([
    ...present.filter((name) => !named.has(name))
      .map((name) => `${name} is not an etcd member`),
    ...members.filter(({ name }) => !present.includes(name))
      .map(({ name, id }) =>
        `member ${name || id} belongs to no control plane`
      ),
    ...silent.length > Number(learners)
      ? [`${formatCount(silent.length, "learner")}, ${learners} allowed`]
      : [],
  ], `${formatCount(members.length, "member")}, one on each control plane`);
}

/** Checks that no control plane runs etcd or has etcd data, so that a new cluster can be bootstrapped. */
export const etcdNoMembersAnywhere: Check = {
  name: "etcd.noMembersAnywhere",
  summary: "No control plane runs etcd or has etcd data",
  scope: "cluster",
  input: { group: groupField },
  async run(context, input) {
    const nodes = await readControlPlanes(context, input);
    const problems = await findProblems(context, nodes, async (client) => {
      const [service, folder] = await Promise.all([
        readService(client, "etcd"),
        readDataDir(client),
      ]);
      if (service?.state === "Running") return "etcd is running";
      if (folder === "empty") return undefined;
      return folder === "data"
        ? "there is etcd data"
        : "it does not list the etcd data directory";
    });
    return unless(
      problems,
      `${formatCount(nodes.length, "control plane")} without`,
    );
  },
};

/** Checks that a node's etcd waits for a bootstrap. */
export const etcdServicePreparing: Check = {
  name: "etcd.servicePreparing",
  summary: "The node's etcd is waiting for bootstrap",
  scope: "node",
  input: { node: nodeField },
  async run(context, input) {
    const node = requireNode(context, input);
    const service = await readService(await context.cluster.at(node), "etcd");
    const state = service?.state ?? "";
    return state === "Preparing" ? holds("etcd is preparing") : lacks(
      `etcd of ${node} is ${state === "" ? "missing" : state.toLowerCase()}`,
    );
  },
};
