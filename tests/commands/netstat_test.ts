import assert from "node:assert/strict";

import { run } from "../_run.ts";

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
    ["-v", 1, { ...any, udplite: true, udplite6: true, raw: true, raw6: true }],
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
