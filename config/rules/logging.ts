/** `machine.logging`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { parseUrl } from "../documents/url.ts";
import { isGiven, textOf } from "./texts.ts";

const hint = "Write it as tcp://HOST:PORT or udp://HOST:PORT";

/** Logs go somewhere, in the one format there is. */
export function* loggingRules(root: Cursor): Iterable<Problem> {
  const destinations = root.get("machine", "logging", "destinations").items();
  for (const destination of destinations.filter(isGiven)) {
    yield* endpointRules(destination.get("endpoint"));
    const format = destination.get("format");
    if (textOf(format) === "json_lines") continue;
    yield format.error(
      isGiven(format)
        ? `Log format "${textOf(format)}" does not exist`
        : "A destination of logs has no format",
      'Write "json_lines"',
    );
  }
}

function* endpointRules(endpoint: Cursor): Iterable<Problem> {
  const text = textOf(endpoint);
  if (text === "") {
    yield endpoint.error('"endpoint" is missing', hint);
    return;
  }
  const { scheme, host, port } = parseUrl(text) ??
    { scheme: "", host: "", port: "" };
  if (host === "" && port === "") {
    yield endpoint.error(`Log endpoint "${text}" has no host`, hint);
  }
  if (scheme !== "tcp" && scheme !== "udp") {
    yield endpoint.error(
      `Log endpoint "${text}" has scheme "${scheme}", which nodes do not send to`,
      hint,
    );
  }
}
