import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { serveStandIn } from "../../../provisioners/stand_in/serve.ts";
import { clientCredentials } from "../../../simulator/state/identities.ts";
import { withFolder } from "../../_folder.ts";
import { testClient } from "../../simulator/_client.ts";
import { configurations } from "./_configurations.ts";

const [leader, worker, unconfigured] = [
  "127.70.41.2",
  "127.70.41.3",
  "127.70.41.4",
];

/** A stand-in node that runs until it is stopped. */
function play(
  options: Omit<Parameters<typeof serveStandIn>[0], "signal">,
) {
  const stop = new AbortController();
  const steps = serveStandIn({ ...options, signal: stop.signal });
  return {
    joined: async () => {
      const { done } = await steps.next();
      assert.equal(done, false);
    },
    ended: async () => assert.equal((await steps.next()).done, true),
    async stop() {
      stop.abort();
      while (!(await steps.next()).done);
    },
  };
}

Deno.test("stand-in nodes become one cluster: bootstrapped, rebooted, shut down", async () => {
  await withFolder({}, async (folder) => {
    const { userdata, osCa } = await configurations(leader);
    const first = {
      userdata: userdata("controlplane"),
      folder,
      hostname: "lab-controlplane-1",
      address: leader,
    };
    const second = {
      userdata: userdata("worker"),
      folder,
      hostname: "lab-worker-1",
      address: worker,
    };
    let controlplane = play(first);
    const member = play(second);
    const identity = await clientCredentials(osCa, ["os:admin"]);
    const at = (host: string) =>
      testClient({ endpoint: `${host}:50000`, identity });
    const hostname = async (host: string) => {
      using client = at(host);
      return (await client.machine.hostname({})).messages[0]?.hostname;
    };
    try {
      await Promise.all([controlplane.joined(), member.joined()]);
      assert.equal(await hostname(leader), "lab-controlplane-1");
      assert.equal(await hostname(worker), "lab-worker-1");
      {
        using client = at(leader);
        await client.machine.bootstrap({});
      }
      // The leader starts again with what it remembers, and the worker finds it.
      await controlplane.stop();
      controlplane = play(first);
      await Promise.all([controlplane.joined(), member.joined()]);
      using client = at(leader);
      const { messages } = await client.machine.etcdMemberList({});
      assert.equal(messages[0]?.members.length, 1);
      {
        using other = at(worker);
        await other.machine.shutdown({});
      }
      await member.ended();
    } finally {
      await member.stop();
      await controlplane.stop();
    }
  });
});

Deno.test("a stand-in node says what is missing of its configuration", async () => {
  const { signal } = new AbortController();
  const start = (userdata: string) =>
    serveStandIn({ userdata, folder: "/nowhere", address: leader, signal })
      .next();
  await assert.rejects(start("%"), {
    message: "Cannot use USERDATA: it is not base64",
    status: 2,
  });
  await assert.rejects(start(btoa("machine: {}\ncluster: {}\n")), {
    message: "Cannot use USERDATA: it has no cluster.controlPlane.endpoint",
    status: 2,
  });
});

Deno.test("a stand-in node without a configuration waits for one in maintenance", async () => {
  await withFolder({}, async (folder) => {
    const { userdata, osCa } = await configurations(unconfigured);
    const node = play({
      userdata: undefined,
      folder,
      hostname: "lab-controlplane-1",
      address: unconfigured,
    });
    const endpoint = `${unconfigured}:50000`;
    const joined = node.joined();
    try {
      using stranger = testClient({ endpoint });
      const data = Buffer.from(userdata("controlplane"), "base64");
      // It listens in a moment.
      for (let left = 100; left > 0; left--) {
        try {
          await stranger.machine.applyConfiguration({ data });
          break;
        } catch (error) {
          // The answer may be lost with the maintenance API, which ends then.
          if (/CertificateRequired/.test(`${error}`)) break;
          if (left === 1) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      await joined;
      const identity = await clientCredentials(osCa, ["os:admin"]);
      using client = testClient({ endpoint, identity });
      const { messages } = await client.machine.hostname({});
      assert.equal(messages[0]?.hostname, "lab-controlplane-1");
    } finally {
      await node.stop();
    }
  });
});
