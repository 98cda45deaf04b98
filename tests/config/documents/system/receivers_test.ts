import {
  eventSink,
  kmsgLog,
} from "../../../../config/documents/system/receivers.ts";
import { testRules } from "../_rules.ts";

testRules(eventSink, [
  {
    title: "a host and a port are an endpoint",
    value: { endpoint: "[fd00::1]:3247" },
    problems: [],
  },
  {
    title: "a host alone is none",
    value: { endpoint: "events.example.org" },
    problems: [
      'endpoint: Endpoint "events.example.org" is not a host with a port',
    ],
  },
]);

testRules(kmsgLog, [
  {
    title: "TCP and UDP are spoken",
    value: { name: "a", url: "tcp://[fd00::1]:4000/" },
    problems: [],
  },
  {
    title: "nothing else is spoken",
    value: { name: "a", url: "https://a:4000" },
    problems: [
      'url: URL "https://a:4000" does not start with tcp:// or udp://',
    ],
  },
  {
    title: "a receiver has a port and no path",
    value: { name: "a", url: "udp://a/b" },
    problems: [
      'url: URL "udp://a/b" has the path "/b"',
      'url: URL "udp://a/b" has no port',
    ],
  },
]);
