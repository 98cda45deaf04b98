import { parseUrl } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { notNegative } from "../scalars/duration.ts";
import { documentKind } from "../table.ts";

export const tcpProbe = documentKind(commonRules)`
TCPProbeConfig | named, since 1.13 | TCP probe of the network connectivity
  = {"name": "proxy", "interval": "5s", "failureThreshold": 3, "endpoint": "proxy.example.com:3128",
    "timeout": "10s"}
  name             | text, always | Name of the probe | "proxy"
  interval         | duration, default 1s | Interval between attempts | "5s"
  failureThreshold | int, default 0 | Consecutive failures before the probe fails | 3
  endpoint         | text, always, required | Host and port | "proxy.example.com:3128"
  timeout          | duration, default 10s | Timeout of an attempt | "10s"
`;

export const httpProbe = documentKind(httpProbeRules)`
HTTPProbeConfig | named, since 1.14 | HTTP probe of the network connectivity
  = {"name": "web", "url": "https://example.com/health", "timeout": "5s"}
  name             | text, always | Name of the probe | "proxy"
  interval         | duration, default 1s | Interval between attempts | "5s"
  failureThreshold | int, default 0 | Consecutive failures before the probe fails | 3
  url              | url, always, required | URL to request; status 2xx or 3xx is a success
    = "https://example.com/health"
  timeout          | duration, default 10s | Timeout of an attempt | "10s"
`;

function* httpProbeRules(document: Cursor): Iterable<Problem> {
  yield* commonRules(document);
  const given = document.get("url");
  const text = given.text() ?? "";
  const { scheme, host } = parseUrl(text) ?? { scheme: "", host: "" };
  if (text !== "" && (!/^https?$/.test(scheme) || host === "")) {
    yield given.error(
      `URL "${text}" is not an HTTP URL`,
      "Start it with http:// or https:// and a host",
    );
  }
}

function* commonRules(document: Cursor): Iterable<Problem> {
  yield* notNegative(document.get("interval"));
  yield* notNegative(document.get("timeout"));
  const failures = document.get("failureThreshold");
  if ((failures.number() ?? 0) < 0) {
    yield failures.error(
      `Number "${failures.text()}" is negative`,
      "Give 0 or more",
    );
  }
}
