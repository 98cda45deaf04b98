import { loggingRules } from "../../../config/rules/logging.ts";
import { testRules } from "./_rules.ts";

const place = "machine.logging.destinations[0]";

function destination(text: string): string {
  return `machine: {logging: {destinations: [${text}]}}`;
}

testRules("loggingRules", loggingRules, [
  [
    "takes both protocols",
    destination(
      "{endpoint: 'tcp://node:1', format: json_lines}, {endpoint: 'udp://:514', format: json_lines}",
    ),
    [],
  ],
  ["wants an endpoint and a format", destination("{}"), [
    `error ${place}.endpoint: "endpoint" is missing`,
    `error ${place}.format: A destination of logs has no format`,
  ]],
  [
    "wants a host",
    destination("{endpoint: 'tcp:///a', format: json_lines}"),
    [`error ${place}.endpoint: Log endpoint "tcp:///a" has no host`],
  ],
  [
    "refuses other protocols and formats",
    destination("{endpoint: 'https://node', format: text}"),
    [
      `error ${place}.endpoint: Log endpoint "https://node" has scheme "https", which nodes do not send to`,
      `error ${place}.format: Log format "text" does not exist`,
    ],
  ],
]);
