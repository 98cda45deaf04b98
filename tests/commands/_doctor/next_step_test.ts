import assert from "node:assert/strict";
import type { ConnectCause } from "../../../errors.ts";
import { nextStep } from "../../../commands/_doctor/next_step.ts";

const target = {
  host: "10.0.0.2",
  text: "10.0.0.2:50000",
  maintenance: false,
  now: new Date("2026-01-02T03:04:05.678Z"),
};

/** Every cause there is; the type makes sure that none is omitted. */
const steps: Readonly<Record<ConnectCause, string>> = {
  "dns":
    "Check the spelling, or use the address of a control plane node with: osctl config endpoint <address>",
  "proxy":
    "Check the proxy in proxy-url of the context or HTTPS_PROXY; exclude this endpoint from the latter with: export NO_PROXY=10.0.0.2",
  "refused":
    "Check that the node is up and the address is right; the node API listens on port 50000",
  "unreachable":
    "Check the network or VPN between here and the node with: ip route get 10.0.0.2",
  "timeout":
    "Check that the node is up, and that no firewall drops packets to its port 50000",
  "reset":
    "Use the address of a control plane node itself; a load balancer without a healthy node closes connections like this",
  lost:
    "Use the address of a control plane node itself; a load balancer without a healthy node closes connections like this",
  "not-tls":
    "Check the port: something else listens there; the node API listens on port 50000",
  "wrong-ca":
    "Choose the context of this cluster with --context; list them with: osctl config contexts",
  "wrong-name":
    'Use one of these names, or add "10.0.0.2" to machine.certSANs with: osctl edit machineconfig',
  "server-expired":
    "Check the clock of this machine; it says 2026-01-02T03:04:05Z; the node renews its certificate by itself when its own clock is right",
  "server-not-yet-valid":
    "Check the clock of this machine; it says 2026-01-02T03:04:05Z",
  "ca-expired":
    "Check the clock of this machine; it says 2026-01-02T03:04:05Z; if it is right, the cluster needs a new CA",
  "client-expired":
    "Renew it from a secrets bundle or a control plane configuration with: osctl config renew",
  "client-not-yet-valid":
    "Check the clock of this machine; it says 2026-01-02T03:04:05Z",
  "client-no-client-auth":
    "Get a new client certificate with: osctl config renew",
  "client-key-mismatch":
    "Replace them with a matching certificate and key with: osctl config add",
  "client-wrong-ca":
    "Choose the context of this cluster with --context; list them with: osctl config contexts",
  "client-missing":
    "Choose a context with a client certificate with --context; list them with: osctl config contexts",
  "client-malformed":
    "Add the context again from its original file with: osctl config merge FILE",
  "fingerprint":
    "Compare the fingerprint with the one on the node's console, then pass it with --cert-fingerprint",
  "maintenance":
    "Apply a configuration to the node with: osctl apply-config --insecure --nodes 10.0.0.2 --file FILE",
  "no-forwarding":
    "Use the address of a control plane node: -e ADDRESS, or for good with: osctl config endpoint ADDRESS",
  "unknown": "Try another endpoint with --endpoints",
};

for (const [cause, step] of Object.entries(steps)) {
  Deno.test(`nextStep says what to do about ${cause}`, () => {
    // Keys of the table.
    assert.equal(nextStep(cause as ConnectCause, target), step);
  });
}
