import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { run } from "../_run.ts";
import { withWire } from "../_wire.ts";

const connectrecord = [
  {
    l4proto: "tcp",
    localip: "10.0.0.2",
    localport: 2380,
    remoteip: "10.0.0.3",
    remoteport: 40_123,
    state: 1,
    rxqueue: 3n,
    txqueue: 17n,
    tr: 2,
    timerwhen: 1234n,
    retrnsmt: 1n,
    timeout: 2n,
    uid: 60,
    inode: 4711n,
    process: { pid: 1800, name: "etcd" },
  },
  {
    l4proto: "udp6",
    localip: "::",
    localport: 53,
    remoteip: "::",
    state: 7,
    netns: "cni-1",
    process: { pid: 0, name: "" },
  },
];

const asked: unknown[] = [];
const node = {
  netstat(request: unknown) {
    asked.push(request);
    return { messages: [{ connectrecord }] };
  },
};
const any = { tcp: true, tcp6: true, udp: true, udp6: true };
const none = {
  tcp: false,
  tcp6: false,
  udp: false,
  udp6: false,
  udplite: false,
  udplite6: false,
  raw: false,
  raw6: false,
};

for (
  const [flags, filter, protocols] of [
    ["", 1, any],
    ["-a", 0, any],
    ["-l", 2, any],
    ["-al", 0, any],
    ["-t", 1, { tcp: true, tcp6: true }],
    ["-u4", 1, { udp: true }],
    ["-Uw6", 1, { udplite6: true, raw6: true }],
    ["-46", 1, any],
    ["-4", 1, { tcp: true, udp: true }],
    ["-v", 1, {
      ...any,
      udplite: true,
      udplite6: true,
      raw: true,
      raw6: true,
    }],
  ] as const
) {
  Deno.test(`netstat ${flags} asks for these protocols and states`, async () => {
    asked.length = 0;
    await run(`netstat ${flags}`, { a: node });
    assert.deepEqual(asked, [{
      feature: { pid: false },
      filter,
      l4proto: { ...none, ...protocols },
      netns: { hostnetwork: true, allnetns: false, netns: [] },
    }]);
  });
}

Deno.test("netstat shows sockets of simulated nodes, of their pods, and of the others when one is down", async () => {
  await withWire({ workers: 1 }, async ({ osctl, names, cluster }) => {
    const [first = ""] = names;
    const listening = await osctl(`netstat -atlp -n ${first}`);
    assert.match(listening.out, / :::50000 +:::\* +LISTEN +\d+\/apid\n/);
    assert.match(listening.out, / \S+:2380 +0.0.0.0:\* +LISTEN +\d+\/etcd\n/);
    const connected = await osctl(`netstat -n ${first}`);
    assert.doesNotMatch(connected.out, /LISTEN|\*/);
    const raw = await osctl(`netstat -aw -n ${first}`);
    assert.match(raw.out, /raw6 +0 +0 +:::58 +:::\*/);
    const all = await osctl("netstat -ak --output jsonl");
    const rows = all.out.trim().split("\n").map((row) => JSON.parse(row));
    const { pod, node } = rows.find(({ pod }) => pod !== "");
    assert.match(pod, /^kube-system\/coredns-/);
    const alone = await osctl(`netstat -a ${pod} -n ${node}`);
    assert.match(alone.out, /^Proto .*\ntcp6 +0 +0 +:::53 /);
    assert.doesNotMatch(alone.out, /:50000/);
    await setFault(cluster.nodes[1]!, "unavailable");
    const partial = await osctl("netstat --output jsonpath={.node}");
    assert.deepEqual([...new Set(partial.out.trim().split("\n"))], [first]);
    assert.equal(partial.status, 3);
  });
});
