import { routeRules } from "../../../config/rules/interface_routes.ts";
import { testRules } from "./_rules.ts";

testRules("routeRules", (root) => routeRules(root.get("routes")), [
  [
    "takes routes",
    "routes: [{network: 10.0.0.0/8}, {gateway: 10.0.0.1, source: 10.0.0.2}]",
    [],
  ],
  ["wants a network or a gateway", "routes: [{metric: 1}, ~]", [
    "error routes[0]: A route has neither a network nor a gateway",
    "error routes[1]: A route has neither a network nor a gateway",
  ]],
  ["wants networks in CIDR notation", "routes: [{network: 10.0.0.0}]", [
    'error routes[0].network: Network "10.0.0.0" is not in CIDR notation',
  ]],
  ["wants addresses", "routes: [{gateway: 10.0.0.1/8, source: node}]", [
    'error routes[0].gateway: "10.0.0.1/8" is not an IP address',
    'error routes[0].source: "node" is not an IP address',
  ]],
]);
