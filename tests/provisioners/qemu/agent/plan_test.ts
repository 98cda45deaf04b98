import assert from "node:assert/strict";
import { stringify } from "yaml";
import { loadDocuments } from "../../../../config/documents/load.ts";
import { validateDocuments } from "../../../../config/validate.ts";
import {
  agentDocuments,
  agentKernelArgument,
  planAgent,
} from "../../../../provisioners/qemu/agent/plan.ts";
import { withFolder } from "../../../_folder.ts";
import { needs, openssl3 } from "../../../_needs.ts";
import { command } from "../_command.ts";
import { plan } from "../_spec.ts";

Deno.test("planAgent gives each node an address in a tunnel of the cluster's own", async () => {
  const agent = await planAgent(
    plan,
    { isTunnel: false, hasTls: false },
    new Date(),
  );
  const [uuid = ""] = plan.machines.map(({ uuid }) => uuid);
  assert.match(agent.interface, /^oswg[0-9a-f]{8}$/);
  assert.match(agent.prefix, /^fd[0-9a-f]{2}(:[0-9a-f]{1,4}){3}$/);
  // By the eighth byte, nodes tell this tunnel from other networks.
  assert.match(agent.prefix, /03$/);
  assert.equal(agent.address, `${agent.prefix}::1`);
  assert.ok(agent.nodes[uuid]?.startsWith(`${agent.prefix}:`));
  assert.equal(new Set(Object.values(agent.ports)).size, 4);
  assert.equal(agent.certificate, undefined);
  const other = { ...plan, bridge: "osbr00000001" };
  const { prefix } = await planAgent(
    other,
    { isTunnel: false, hasTls: false },
    new Date(),
  );
  assert.notEqual(prefix, agent.prefix);
});

for (const hasTls of [false, true]) {
  Deno.test(
    `documents and kernel argument of an agent ${
      hasTls ? "with" : "without"
    } TLS`,
    needs("zstd", openssl3),
    async () => {
      const agent = await planAgent(
        plan,
        { isTunnel: hasTls, hasTls },
        new Date(),
      );
      const { api, events, logs } = agent.ports;
      const documents = agentDocuments(agent);
      assert.deepEqual(documents, [
        {
          apiVersion: "v1alpha1",
          kind: "SideroLinkConfig",
          apiUrl: hasTls
            ? `https://10.5.0.1:${api}?jointoken=foo&grpc_tunnel=true`
            : `grpc://10.5.0.1:${api}?jointoken=foo`,
        },
        {
          apiVersion: "v1alpha1",
          kind: "EventSinkConfig",
          endpoint: `[${agent.prefix}::1]:${events}`,
        },
        {
          apiVersion: "v1alpha1",
          kind: "KmsgLogConfig",
          name: "siderolink",
          url: `tcp://[${agent.prefix}::1]:${logs}`,
        },
        ...hasTls
          ? [{
            apiVersion: "v1alpha1",
            kind: "TrustedRootsConfig",
            name: "siderolink-ca",
            certificates: agent.certificate?.crt,
          }]
          : [],
      ]);
      const text = documents.map((one) => stringify(one)).join("---\n");
      const problems = validateDocuments(loadDocuments(text, "agent"), {
        mode: "metal",
      });
      assert.deepEqual(problems.map(({ message }) => message), []);
      const [name, value = ""] = agentKernelArgument(agent).split(/=(.*)/s);
      assert.equal(name, "talos.config.early");
      const packed = Uint8Array.fromBase64(value);
      assert.equal((await command(["zstd", "-dc"], packed)).out, text);
      if (agent.certificate === undefined) return;
      await withFolder({ "crt.pem": agent.certificate.crt }, async (folder) => {
        const { out } = await command([
          ...["openssl", "verify", "-verify_ip", "10.5.0.1"],
          ...["-CAfile", `${folder}/crt.pem`, `${folder}/crt.pem`],
        ]);
        assert.match(out, /: OK$/m);
      });
    },
  );
}
