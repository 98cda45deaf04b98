/** Next step for each cause of a failed connection. */

import type { ConnectCause } from "../../errors.ts";

/** Target of a connection. */
export interface ConnectTarget {
  /** Name or address as given by the user. */
  readonly host: string;
  /** `host:port`. */
  readonly text: string;
  readonly maintenance: boolean;
  readonly now: Date;
}

/** The next step. Returns one sentence without a period; a command comes last. */
export function nextStep(cause: ConnectCause, target: ConnectTarget): string {
  const { host, maintenance, now } = target;
  const clock = `Check the clock of this machine; it says ${
    now.toISOString().replace(/\.\d+Z$/, "Z")
  }`;
  const otherContext =
    "Choose the context of this cluster with --context; list them with: osctl config contexts";
  switch (cause) {
    case "dns":
      return "Check the spelling, or use the address of a control plane node with: osctl config endpoint <address>";
    case "proxy":
      return `Check the proxy in proxy-url of the context or HTTPS_PROXY; exclude this endpoint from the latter with: export NO_PROXY=${host}`;
    case "refused":
      return "Check that the node is up and the address is right; the node API listens on port 50000";
    case "unreachable":
      return `Check the network or VPN between here and the node with: ip route get ${host}`;
    case "timeout":
      return "Check that the node is up, and that no firewall drops packets to its port 50000";
    case "reset":
    case "lost":
      return "Use the address of a control plane node itself; a load balancer without a healthy node closes connections like this";
    case "not-tls":
      return "Check the port: something else listens there; the node API listens on port 50000";
    case "wrong-ca":
      return otherContext;
    case "wrong-name":
      return `Use one of these names, or add "${host}" to machine.certSANs with: osctl edit machineconfig`;
    case "server-expired":
      return `${clock}; the node renews its certificate by itself when its own clock is right`;
    case "server-not-yet-valid":
      return clock;
    case "ca-expired":
      return `${clock}; if it is right, the cluster needs a new CA`;
    case "client-expired":
      return "Renew it from a secrets bundle or a control plane configuration with: osctl config renew";
    case "client-not-yet-valid":
      return clock;
    case "client-no-client-auth":
      return "Get a new client certificate with: osctl config renew";
    case "client-key-mismatch":
      return "Replace them with a matching certificate and key with: osctl config add";
    case "client-wrong-ca":
      return otherContext;
    case "client-missing":
      return maintenance
        ? "The node already has a configuration; run the command without --insecure"
        : "Choose a context with a client certificate with --context; list them with: osctl config contexts";
    case "client-malformed":
      return "Add the context again from its original file with: osctl config merge FILE";
    case "fingerprint":
      return "Compare the fingerprint with the one on the node's console, then pass it with --cert-fingerprint";
    case "maintenance":
      return `Apply a configuration to the node with: osctl apply-config --insecure --nodes ${host} --file FILE`;
    case "no-forwarding":
      return "Use the address of a control plane node: -e ADDRESS, or for good with: osctl config endpoint ADDRESS";
    case "unknown":
      return "Try another endpoint with --endpoints";
  }
}
