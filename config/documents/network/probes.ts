import { parseUrl } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { notNegative } from "../scalars/duration.ts";
import { duration, int, openText, url } from "../scalars/scalars.ts";
import type { DocumentKind, Fields } from "../schema.ts";
import { field, nameField } from "../shapes.ts";

const common: Fields = {
  name: nameField("Name of the probe", "proxy"),
  interval: field(duration, "Interval between attempts", {
    initial: "1s",
    example: "5s",
  }),
  failureThreshold: field(
    int,
    "Consecutive failures before the probe fails",
    { initial: "0", example: 3 },
  ),
};

const timeout = field(duration, "Timeout of an attempt", {
  initial: "10s",
  example: "10s",
});

/** `TCPProbeConfig`. */
export const tcpProbe: DocumentKind = {
  kind: "TCPProbeConfig",
  summary: "TCP probe of the network connectivity",
  named: true,
  since: "1.13",
  fields: {
    ...common,
    endpoint: field(openText, "Host and port", {
      always: true,
      required: true,
      example: "proxy.example.com:3128",
    }),
    timeout,
  },
  examples: [{
    value: {
      name: "proxy",
      interval: "5s",
      failureThreshold: 3,
      endpoint: "proxy.example.com:3128",
      timeout: "10s",
    },
  }],
  rules: commonRules,
};

/** `HTTPProbeConfig`. */
export const httpProbe: DocumentKind = {
  kind: "HTTPProbeConfig",
  summary: "HTTP probe of the network connectivity",
  named: true,
  since: "1.14",
  fields: {
    ...common,
    url: field(url, "URL to request; status 2xx or 3xx is a success", {
      always: true,
      required: true,
      example: "https://example.com/health",
    }),
    timeout,
  },
  examples: [{
    value: { name: "web", url: "https://example.com/health", timeout: "5s" },
  }],
  *rules(document) {
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
  },
};

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
