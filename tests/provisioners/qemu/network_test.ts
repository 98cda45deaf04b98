import assert from "node:assert/strict";
import type { BridgeNetwork } from "../../../provisioners/qemu/bridge_network.ts";
import { disturbance, rules } from "../../../provisioners/qemu/network.ts";
import { needs, networkNeeds } from "../../_needs.ts";
import { cluster } from "./_cluster.ts";
import { command } from "./_command.ts";

const network: BridgeNetwork = {
  ...cluster.network,
  bridge: "osbr1",
  mac: "02:00:00:00:00:07",
  noMasquerade: ["192.0.2.0/24"],
  taps: ["ot1"],
  chaos: {
    latencyMs: 0,
    jitterMs: 0,
    loss: 0,
    reorder: 0,
    corrupt: 0,
    bandwidth: 1000,
  },
  isAirgapped: false,
};

Deno.test(
  "createNetwork makes a bridge with NAT and limits, removeNetwork leaves nothing of it",
  needs(...networkNeeds),
  async () => {
    const script = new URL("_network.ts", import.meta.url).pathname;
    const { out, err } = await command([
      ...[
        "unshare",
        "-n",
        Deno.execPath(),
        "run",
        "-A",
        "--no-check",
        "--quiet",
        script,
      ],
      JSON.stringify(network),
    ]);
    const [made = "", left = ""] = out.split(/(?<=# forwarding\n.*\n)\n/);
    assert.match(
      made,
      /^osbr1 +\S+ +10\.5\.0\.1\/24 fd74:616c:a05::1\/64/m,
      err,
    );
    assert.match(made, /: osbr1: .* mtu 1400 .*link\/ether 02:00:00:00:00:07/);
    assert.match(made, /: ot1: .*UP.* mtu 1400 .*master osbr1/);
    assert.match(
      made,
      /oifname != "osbr1" ip saddr 10\.5\.0\.0\/24 ip daddr != \{.*192\.0\.2\.0\/24.*\} masquerade/,
    );
    assert.match(
      made,
      /oifname != "osbr1" ip6 saddr fd74:616c:a05::\/64 ip6 daddr != \{.*\} masquerade/,
    );
    assert.match(made, /qdisc tbf .*rate 1Mbit/);
    assert.match(
      made,
      /-A DOCKER-USER -o osbr1 -j ACCEPT\n-A DOCKER-USER -i osbr1 -j ACCEPT/,
    );
    assert.match(made, /ip_forward = 1/);
    assert.doesNotMatch(
      left.replace(/Cannot find device.*/, ""),
      /osbr1|ot1\b/,
    );
    assert.match(left, /-N DOCKER-USER\n/);
  },
);

Deno.test("rules of an air-gapped network let nothing through", () => {
  assert.equal(
    rules({ ...network, isAirgapped: true }),
    `table inet osbr1 {
  chain forward {
    type filter hook forward priority -1; policy accept;
    iifname "osbr1" oifname != "osbr1" drop
    oifname "osbr1" iifname != "osbr1" drop
  }
}
`,
  );
});

Deno.test("disturbance becomes the arguments of tc", () => {
  const none = {
    latencyMs: 0,
    jitterMs: 0,
    loss: 0,
    reorder: 0,
    corrupt: 0,
    bandwidth: 0,
  };
  const line = (change: Partial<typeof none>) =>
    disturbance({ ...none, ...change })?.join(" ");
  assert.equal(line({}), undefined);
  assert.equal(
    line({ bandwidth: 500 }),
    "tbf rate 500kbit burst 16kb latency 50ms",
  );
  assert.equal(
    line({
      latencyMs: 20,
      jitterMs: 5,
      loss: 0.5,
      corrupt: 0.001,
      reorder: 0.25,
    }),
    "netem delay 20ms 5ms loss 50% corrupt 0.1% reorder 25%",
  );
  assert.equal(line({ jitterMs: 5 }), "netem delay 0ms 5ms");
});
