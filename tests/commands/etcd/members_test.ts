import assert from "node:assert/strict";
import { run } from "../../_run.ts";

const member = {
  id: 0x2a1f6b0c9d8e7f60n,
  hostname: "one",
  peerUrls: ["https://10.0.0.2:2380", "https://[fd00::2]:2380"],
  clientUrls: ["https://10.0.0.2:2379"],
};

function lists(...members: readonly unknown[]) {
  return { etcdMemberList: () => ({ messages: [{ members }] }) };
}

Deno.test("etcd members lists members as each node does", async () => {
  const learner = { id: 7n, hostname: "two", isLearner: true };
  const { out, status } = await run("etcd members", {
    "10.0.0.2": lists(member, learner),
    "10.0.0.3": lists(member),
  });
  assert.equal(
    out,
    `NODE       ID                 HOSTNAME   PEER URLS                                      CLIENT URLS             LEARNER
10.0.0.2   2a1f6b0c9d8e7f60   one        https://10.0.0.2:2380,https://[fd00::2]:2380   https://10.0.0.2:2379   false
10.0.0.2   0000000000000007   two                                                                               true
10.0.0.3   2a1f6b0c9d8e7f60   one        https://10.0.0.2:2380,https://[fd00::2]:2380   https://10.0.0.2:2379   false
`,
  );
  assert.equal(status, 0);
});
