import { tunnel } from "../../../../config/documents/network/tunnel.ts";
import { testRules } from "../_rules.ts";

testRules(tunnel, [
  {
    title: "TLS is spoken",
    value: { apiUrl: "https://manage.example.org/?jointoken=abc" },
    problems: [],
  },
  {
    title: "gRPC is spoken",
    value: { apiUrl: "grpc://10.0.0.10:8090?jointoken=abc" },
    problems: [],
  },
  {
    title: "nothing else is spoken, and the token is not shown",
    value: { apiUrl: "http://10.0.0.10/?jointoken=abc" },
    problems: ['apiUrl: Scheme "http" is not supported'],
  },
  {
    title: "there is no path",
    value: { apiUrl: "grpc://10.0.0.10/a?jointoken=abc" },
    problems: ['apiUrl: URL has the path "/a"'],
  },
]);
