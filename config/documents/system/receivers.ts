/** Destinations for events and kernel logs of a node. */

import { parseUrl, splitHostPort } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const eventSink = documentKind(eventSinkRules)`
EventSinkConfig |  | Sends the node's events to a service
  = {"endpoint": "events.example.org:3247"}
  endpoint | text, always, required | Host and port of the receiver | "10.0.0.10:3247"
`;

function* eventSinkRules(document: Cursor): Iterable<Problem> {
  const given = document.get("endpoint");
  const text = given.text() ?? "";
  if (text !== "" && splitHostPort(text) === undefined) {
    yield given.error(
      `Endpoint "${text}" is not a host with a port`,
      "Write host:port, and IPv6 addresses in brackets",
    );
  }
}

export const kmsgLog = documentKind(kmsgLogRules)`
KmsgLogConfig | named | Sends the kernel log to a receiver
  = {"name": "collector", "url": "udp://logs.example.org:4000"}
  name | text, always | Name of the receiver | "collector"
  url  | url, always, required | URL of the receiver: protocol, host and port | "tcp://10.0.0.10:4000"
`;

function* kmsgLogRules(document: Cursor): Iterable<Problem> {
  const given = document.get("url");
  const text = given.text() ?? "";
  const parts = parseUrl(text);
  if (text === "" || parts === undefined) return;
  if (parts.scheme !== "tcp" && parts.scheme !== "udp") {
    yield given.error(
      `URL "${text}" does not start with tcp:// or udp://`,
      "Write tcp://host:port or udp://host:port",
    );
  }
  if (parts.path !== "" && parts.path !== "/") {
    yield given.error(
      `URL "${text}" has the path "${parts.path}"`,
      "Remove everything after the port",
    );
  }
  if (parts.port === "") {
    yield given.error(
      `URL "${text}" has no port`,
      "Add the port after the host",
    );
  }
}
