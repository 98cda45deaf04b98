import { eventSink } from "../../../config/documents/event_sink.ts";
import { testRules } from "./_rules.ts";

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
