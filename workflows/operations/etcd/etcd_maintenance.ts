/** etcd maintenance that keeps a member in place. */

import { single } from "../../../transport/call/reply.ts";
import type {
  NodeContext,
  Operation,
  Reconciled,
  Verdict,
} from "../operation.ts";
import { hexadecimal } from "../../etcd/etcd_facts.ts";
import { untilSeen } from "../poll.ts";

const deadlineMs = 30_000;

/** `etcd alarm disarm`. Source: `MachineService.EtcdAlarmDisarm`. */
export const etcdAlarmDisarm: Operation<null, readonly string[], null> = {
  name: "etcd alarm disarm",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: readAlarms,
  plan: (alarms) => alarms.map((alarm) => ({ action: `disarm ${alarm}` })),
  key: () => null,
  async *apply({ client }) {
    await client.machine.etcdAlarmDisarm({}, { deadlineMs });
    yield { text: "disarmed" };
  },
  reconcile: async (context) =>
    doneWhen((await readAlarms(context)).length === 0),
  verify: (context) =>
    untilSeen(context, async () => {
      const alarms = await readAlarms(context);
      return alarms.length === 0
        ? endDone("no alarms")
        : { missing: `the alarm ${alarms.join(", ")} is still raised` };
    }),
};

async function readAlarms({ client }: NodeContext): Promise<readonly string[]> {
  const { messages } = await client.machine.etcdAlarmList({}, { deadlineMs });
  return single(messages).memberAlarms.filter(({ alarm }) => alarm !== 0)
    .map(({ memberId, alarm }) =>
      `${alarm === 1 ? "NOSPACE" : "CORRUPT"} of ${hexadecimal(memberId)}`
    );
}

/** `etcd defrag`. Source: `MachineService.EtcdDefragment`. */
export const etcdDefrag: Operation<null, bigint, { readonly size: string }> = {
  name: "etcd defrag",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: readSize,
  plan: () => [{ action: "defragment" }],
  key: (size) => ({ size: String(size) }),
  async *apply({ client, signal }) {
    yield { text: "defragmenting; the member does not answer meanwhile" };
    // A large database takes minutes: only the total timeout applies.
    await client.machine.etcdDefragment({}, { signal, deadlineMs: 0 });
  },
  reconcile: () => Promise.resolve("not-started"),
  async *verify(context, _, { size }) {
    yield* [];
    const now = await readSize(context);
    return doneVerdict(`${size} bytes before, ${now} now`);
  },
};

async function readSize({ client }: NodeContext): Promise<bigint> {
  const { messages } = await client.machine.etcdStatus({}, { deadlineMs });
  return single(messages).memberStatus?.dbSize ?? 0n;
}

interface Leadership {
  /** Its id, 16 hexadecimal digits. */
  readonly member: string;
  readonly leader: string;
}

/** `etcd forfeit-leadership`. Source: `MachineService.EtcdForfeitLeadership`. */
export const etcdForfeit: Operation<null, Leadership, null> = {
  name: "etcd forfeit-leadership",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: readLeadership,
  plan: ({ member, leader }) =>
    member === leader ? [{ action: "forfeit leadership" }] : [],
  key: () => null,
  async *apply({ client }) {
    const { messages } = await client.machine.etcdForfeitLeadership({}, {
      deadlineMs,
    });
    const { member } = single(messages);
    yield { text: `leadership moves to ${member || "no member"}` };
  },
  async reconcile(context) {
    const { member, leader } = await readLeadership(context);
    return doneWhen(member !== leader);
  },
  verify: (context) =>
    untilSeen(context, async () => {
      const { member, leader } = await readLeadership(context);
      return member === leader || leader === hexadecimal(0n)
        ? { missing: "no other member is the leader yet" }
        : endDone(`member ${leader} is the leader`);
    }),
};

async function readLeadership({ client }: NodeContext): Promise<Leadership> {
  const { messages } = await client.machine.etcdStatus({}, { deadlineMs });
  const { memberStatus } = single(messages);
  return {
    member: hexadecimal(memberStatus?.memberId ?? 0n),
    leader: hexadecimal(memberStatus?.leader ?? 0n),
  };
}

type DowngradeInput = {
  /** Storage version: `3.5`; empty to cancel. */
  readonly version: string;
};

/** `etcd downgrade enable` and `cancel`. Source: `MachineService.EtcdDowngradeEnable`, `EtcdDowngradeCancel`. */
export const etcdDowngrade: Operation<DowngradeInput, null, null> = {
  name: "etcd downgrade",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  async observe(context) {
    // Never send to an unresponsive node: the outcome could not be determined.
    await readSize(context);
    return null;
  },
  plan: (_, { version }) => [{
    action: version === "" ? "cancel downgrade" : `downgrade to ${version}`,
  }],
  key: () => null,
  async *apply({ client: { machine } }, { version }) {
    const { messages } = version === ""
      ? await machine.etcdDowngradeCancel({}, { deadlineMs })
      : await machine.etcdDowngradeEnable({ version }, { deadlineMs });
    const { clusterDowngrade } = single<(typeof messages)[number]>(messages);
    yield { text: `cluster version ${clusterDowngrade?.clusterVersion}` };
  },
  reconcile: () => Promise.resolve("unknown"),
  async *verify(_context, { version }) {
    yield* [];
    await Promise.resolve();
    return doneVerdict(version === "" ? "cancelled" : `enabled to ${version}`);
  },
};

function doneWhen(done: boolean): Reconciled {
  return done ? "done" : "not-started";
}

function endDone(reason: string): { readonly verdict: Verdict } {
  return { verdict: doneVerdict(reason) };
}

function doneVerdict(reason: string): Verdict {
  return { outcome: "done", reason };
}
