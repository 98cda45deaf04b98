import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
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
const pods = {
  ...node,
  containers: () => ({
    messages: [{
      containers: [
        // The second is no sandbox, the third has ended, the last is in the network of the host.
        ["kube-system/coredns-1", "kube-system/coredns-1", 7, "cni-1"],
        ["kube-system/coredns-1:x:1", "kube-system/coredns-1", 8, "cni-1"],
        ["default/old", "default/old", 0, "cni-0"],
        ["default/host", "default/host", 9, ""],
      ].map(([id, podId, pid, networkNamespace]) => ({
        ...{ id, podId, pid, networkNamespace },
      })),
    }],
  }),
};

Deno.test("netstat shows connections", async () => {
  const { out, err, status } = await run("netstat", { "10.0.0.2": node });
  assert.equal(
    out,
    `NODE       Proto   Recv-Q   Send-Q   Local Address   Foreign Address   State
10.0.0.2   tcp     3        17       10.0.0.2:2380   10.0.0.3:40123    ESTABLISHED
10.0.0.2   udp6    0        0        :::53           :::*
`,
  );
  assert.deepEqual([err, status], ["", 0]);
});

Deno.test("netstat shows users, programs, pods and timers on demand", async () => {
  const { out } = await run("ss -xpko", { a: pods });
  assert.equal(
    out,
    `NODE   Proto   Recv-Q   Send-Q   Local Address   Foreign Address   State         Uid   Inode   PID/Program name   Pod                     Timer
a      tcp     3        17       10.0.0.2:2380   10.0.0.3:40123    ESTABLISHED   60    4711    1800/etcd          -                       keepalive (12.34/1/2)
a      udp6    0        0        :::53           :::*                            0     0       -                  kube-system/coredns-1   off (0.00/0/0)
`,
  );
});

Deno.test("netstat shows one pod by its name in any case, without the node", async () => {
  asked.length = 0;
  const { out, status } = await run("netstat kube-system/CoreDNS-1 -l", {
    a: pods,
    b: { containers: () => ({ messages: [{}] }) },
  });
  assert.match(out, /^Proto /);
  assert.deepEqual(
    asked.map((request) => (request as { readonly netns: unknown }).netns),
    [{ hostnetwork: false, netns: ["cni-1"], allnetns: false }],
  );
  assert.equal(status, 0);
});

Deno.test("netstat -o jsonl is a timer and a pod that is none; --output jsonl has every field", async () => {
  const wrong = await run("netstat -o jsonl");
  assert.equal(
    wrong.err.split("\n")[0],
    'error: "jsonl" is not a pod',
  );
  assert.match(wrong.err, /--output \(-o is --timers\)/);
  assert.equal(wrong.status, 2);
  const { out } = await run("netstat --output jsonl -p", { a: node });
  assert.deepEqual(JSON.parse(out.split("\n")[0]!), {
    node: "a",
    protocol: "tcp",
    receiveQueue: 3,
    sendQueue: 17,
    localAddress: "10.0.0.2",
    localPort: 2380,
    foreignAddress: "10.0.0.3",
    foreignPort: 40123,
    state: "ESTABLISHED",
    uid: 60,
    inode: 4711,
    pid: 1800,
    program: "etcd",
    pod: "",
    networkNamespace: "",
    timer: "keepalive",
    timerLeft: 12.34,
    retransmits: 1,
    timeouts: 2,
  });
});

Deno.test("netstat refuses a pod together with --pods, and one that no node has", async () => {
  const both = await run("netstat -k default/web");
  assert.match(both.err, /^error: Flag --pods and a pod cannot be combined\n/);
  assert.equal(both.status, 2);
  for (const pod of ["default/web", "default/old", "default/host"]) {
    const { err, status } = await run(`netstat ${pod}`, {
      a: { containers: pods.containers },
    });
    assert.match(err, /^error: Pod "default\/\w+" is not on these nodes/);
    assert.equal(status, 1);
  }
});

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

Deno.test("netstat says so when a node does not know the call", async () => {
  const { err, status } = await run("netstat", {
    a: {
      netstat: () =>
        Promise.reject(new RpcError("UNIMPLEMENTED", "unknown method Netstat")),
    },
  });
  assert.match(err, /^error: a: .*Netstat/);
  assert.equal(status, 1);
});
