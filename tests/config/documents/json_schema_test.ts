import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { parse, parseAllDocuments } from "yaml";
import {
  jsonSchema,
  type JsonSchemaOptions,
} from "../../../config/documents/json_schema.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";
import type { OsVersion } from "../../../config/documents/schema.ts";
import { examplesIn } from "./_examples_in.ts";

function checker(options: JsonSchemaOptions = {}): ValidateFunction {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    formats: { "uri-reference": true },
    allErrors: true,
  });
  ajv.addVocabulary(["patternErrorMessage"]);
  return ajv.compile(jsonSchema(options));
}

const full = checker();
const partial = checker({ patch: true });

function faults(check: ValidateFunction, value: unknown): string[] {
  if (check(value)) return [];
  const around = new Set(["if", "anyOf", "allOf", "$ref"]);
  return (check.errors ?? []).filter(({ keyword }) => !around.has(keyword))
    .map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

function requireObject(value: unknown): Record<string, unknown> {
  assert.ok(typeof value === "object" && value !== null);
  return { ...value };
}

Deno.test("a configuration of every version fits the schema of its version", async () => {
  for (const version of ["1.8", "1.12"] as const) {
    for (const role of ["controlplane", "worker"]) {
      const file = `../generate/expected/v${version}-${role}.txt`;
      const text = await Deno.readTextFile(new URL(file, import.meta.url));
      for (const options of [{ version }, { version, patch: true }]) {
        const check = checker(options);
        for (const document of parseAllDocuments(text)) {
          assert.ok("toJS" in document);
          assert.deepEqual(faults(check, document.toJS()), []);
        }
      }
    }
  }
});

for (const { kind, examples, fields } of documentKinds.values()) {
  const identity = kind === "v1alpha1" ? {} : { apiVersion: "v1alpha1", kind };

  Deno.test(`the schema takes the examples of ${kind}`, () => {
    for (const { value } of examples) {
      assert.deepEqual(
        faults(full, { ...identity, ...requireObject(value) }),
        [],
      );
    }
  });

  Deno.test(`the schema of patches takes every example in ${kind}`, () => {
    for (const [path, value] of examplesIn(fields)) {
      const whole = path.reduceRight<unknown>(around, value);
      const found = faults(partial, { ...identity, ...requireObject(whole) });
      assert.deepEqual(found, [], path.join("."));
    }
  });
}

function around(value: unknown, step: string): unknown {
  return step === "[]" ? [value] : { [step]: value };
}

const problems: readonly [text: string, ...found: readonly string[]][] = [
  ["machine: {type: worker}", " required"],
  ["cluster: {controlPlane: {endpoint: https://a:6443}}", " required"],
  [main("machine: {typ: worker}"), "/machine additionalProperties"],
  [main("machine: {type: master}"), "/machine/type enum"],
  [main("machine: {kubelet: [a]}"), "/machine/kubelet type"],
  [main("machine: {certSANs: a.example}"), "/machine/certSANs type"],
  [main("machine: {certSANs: [[a]]}"), "/machine/certSANs/0 type"],
  [
    main("machine: {features: {kubePrism: {enabled: maybe}}}"),
    "/machine/features/kubePrism/enabled type",
  ],
  [
    main("machine: {features: {kubePrism: {port: many}}}"),
    "/machine/features/kubePrism/port type",
  ],
  [
    main('machine: {files: [{permissions: "0644"}]}'),
    "/machine/files/0/permissions type",
  ],
  [
    main("machine: {files: [{path: /a, mode: 420}]}"),
    "/machine/files/0 additionalProperties",
  ],
  [main("machine: {sysctls: {a: {b: c}}}"), "/machine/sysctls/a type"],
  [main("machine: {nodeLabels: [a]}"), "/machine/nodeLabels type"],
  [
    main("machine: {logging: {destinations: [{format: json_lines}]}}"),
    "/machine/logging/destinations/0 required",
  ],
  [
    "machine: {}\ncluster: {controlPlane: {}}",
    "/cluster/controlPlane required",
  ],
  [main("a: b"), " additionalProperties"],
  ["kind: HostnameConfig\nauto: stable", " required"],
  ["apiVersion: v1alpha1\nauto: stable", " required"],
  [
    "apiVersion: v1\nkind: HostnameConfig\nauto: stable",
    "/apiVersion const",
  ],
  [further("HostConfig", "name: a"), "/kind enum"],
  [further("HostnameConfig", "name: a"), " additionalProperties"],
  [further("LinkConfig", "up: true"), " required"],
  [further("LinkConfig", "name: a\nmtu: 1e99"), "/mtu maximum"],
  [
    further("LinkConfig", "name: a\naddresses: [{address: 10.0.0.1}]"),
    "/addresses/0/address pattern",
  ],
  [
    further("LinkConfig", "name: a\nroutes: [{gateway: here}]"),
    "/routes/0/gateway pattern",
  ],
  [
    further("BondConfig", "name: a\nlinks: [b]\nbondMode: fast"),
    "/bondMode enum",
    "/bondMode pattern",
  ],
  [
    further("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: 90"),
    "/timeout type",
  ],
  [
    further("WatchdogTimerConfig", "device: /dev/watchdog0\ntimeout: 1 day"),
    "/timeout pattern",
  ],
  [
    further("UserVolumeConfig", "name: a\nprovisioning: {minSize: big}"),
    "/provisioning/minSize pattern",
    "/provisioning/minSize type",
  ],
  [
    further(
      "NetworkRuleConfig",
      "name: a\nportSelector: {protocol: tcp, ports: [a]}",
    ),
    "/portSelector/ports/0 type",
    "/portSelector/ports/0 pattern",
  ],
];

function main(change: string): string {
  const rest = change.startsWith("machine:") ? "" : "machine: {}\n";
  return `${change}\n${rest}cluster: {controlPlane: {endpoint: "https://a:1"}}`;
}

function further(kind: string, rest: string): string {
  return `apiVersion: v1alpha1\nkind: ${kind}\n${rest}`;
}

for (const [text, ...found] of problems) {
  Deno.test(`the schema refuses ${JSON.stringify(text)}`, () => {
    assert.deepEqual(faults(full, parse(text)), found);
  });
}

Deno.test("texts may be numbers and truth values, as for nodes", () => {
  const text = main("machine: {sysctls: {a: 1, b: true, c: d}}");
  assert.deepEqual(faults(full, parse(text)), []);
});

Deno.test("JSON Schema: accepts what nodes write for absent values", () => {
  const text = main("machine: {install: {wipe: null}}");
  assert.deepEqual(faults(full, parse(text)), []);
});

Deno.test("keys and kinds that a version does not know are refused", () => {
  const cases: readonly [OsVersion, string, readonly string[]][] = [
    ["1.8", main("machine: {baseRuntimeSpecOverrides: {}}"), [
      "/machine additionalProperties",
    ]],
    ["1.9", main("machine: {baseRuntimeSpecOverrides: {}}"), []],
    ["1.11", further("HostnameConfig", "auto: stable"), ["/kind enum"]],
    ["1.12", further("HostnameConfig", "auto: stable"), []],
  ];
  for (const [version, text, found] of cases) {
    assert.deepEqual(faults(checker({ version }), parse(text)), found, version);
  }
});

Deno.test("patches need nothing and may delete and replace everywhere", () => {
  const taken = [
    "machine: {type: worker}",
    "machine: {install: {$patch: delete}}",
    "machine: {install: {disk: {$patch: delete}}}",
    "machine: {certSANs: {$patch: delete}}",
    "machine: {certSANs: [{$patch: replace}, a]}",
    "machine: {sysctls: {$patch: replace, a: b}}",
    "machine: {sysctls: {a: {$patch: delete}}}",
    "cluster: {apiServer: {admissionControl: [{name: a, $patch: delete}]}}",
    further("LinkConfig", "name: a\n$patch: delete"),
    further("LinkConfig", "mtu: 9000"),
    "- {op: add, path: /machine/type, value: worker}",
    "- {op: remove, path: /auto, document: HostnameConfig}",
  ];
  for (const text of taken) {
    assert.deepEqual(faults(partial, parse(text)), [], text);
  }
});

Deno.test("problems in patches are refused", () => {
  const refused: readonly [string, string][] = [
    ["machine: {typ: worker}", "/machine additionalProperties"],
    ["machine: {install: {$patch: remove}}", "/machine/install/$patch enum"],
    ["- {op: put, path: /a}", "/0/op enum"],
    ["- {op: add, value: a}", "/0 required"],
    ["kind: LinkConfig", " required"],
  ];
  for (const [text, found] of refused) {
    assert.deepEqual(faults(partial, parse(text)), [found], text);
  }
  assert.deepEqual(faults(full, parse(main("machine: {$patch: delete}"))), [
    "/machine additionalProperties",
  ]);
});

function definition(name: string, options: JsonSchemaOptions = {}): unknown {
  return requireObject(jsonSchema(options).$defs)[name];
}

Deno.test("a kind has everything an editor shows", () => {
  assert.deepEqual(definition("WatchdogTimerConfig"), {
    title: "WatchdogTimerConfig",
    description: "Watchdog timer that reboots the node if it hangs",
    type: "object",
    additionalProperties: false,
    properties: {
      apiVersion: true,
      kind: true,
      device: {
        type: ["string", "number", "boolean"],
        description: "Path of the watchdog device",
        examples: ["/dev/watchdog0"],
      },
      timeout: {
        type: "string",
        pattern:
          "^[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|[u\u00b5\u03bc]s|ms|s|m|h))+)$",
        patternErrorMessage: "Expected a duration such as 90s or 1h30m",
        description:
          "Time after which the watchdog reboots a hung node. Default: 1m0s",
        default: "1m0s",
        examples: ["3m0s"],
      },
    },
    required: ["device"],
    examples: [{ device: "/dev/watchdog0", timeout: "3m0s" }],
  });
});

Deno.test("deprecated keys say what takes their place", () => {
  const { properties } = requireObject(definition("cluster"));
  assert.deepEqual(requireObject(properties).allowSchedulingOnMasters, {
    type: "boolean",
    description:
      "Allows workloads on control planes. Deprecated: use cluster.allowSchedulingOnControlPlanes",
    deprecated: true,
  });
});
