import { registryRules } from "../../../config/rules/registries.ts";
import { testRules } from "./_rules.ts";

testRules("registryRules", registryRules, [
  [
    "takes empty settings",
    "machine: {registries: {mirrors: {a: {}}, config: {a: {}}}}",
    [],
  ],
  [
    "refuses null",
    "machine: {registries: {mirrors: {a: ~}, config: {b: ~}}}",
    [
      'error machine.registries.mirrors.a: Registry "a" has nothing under machine.registries.mirrors',
      'error machine.registries.config.b: Registry "b" has nothing under machine.registries.config',
    ],
  ],
]);
