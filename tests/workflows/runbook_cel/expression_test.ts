import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  assuredPaths,
  checkExpression,
  evaluate,
} from "../../../workflows/runbook_cel/expression.ts";
import type { FieldType } from "../../../workflows/runbook_cel/field.ts";
import { declarations, field, object, scope, world } from "./_scope.ts";

function run(source: string) {
  return evaluate(source, declarations, scope, world);
}

function fault(source: string, type: FieldType = "any") {
  const checked = checkExpression(source, declarations, field(type));
  return "fault" in checked ? checked.fault : undefined;
}

Deno.test("values keep their kind over the border and back", () => {
  assert.equal(run("inputs.count + 1"), 4);
  assert.equal(run("inputs.share / 4.0"), 0.25);
  assert.equal(run("inputs.soak + duration('90s')"), "3m30s");
  assert.equal(run("duration('-1500ms')"), "-1.5s");
  assert.equal(run("string(inputs.soak)"), "2m0s");
  assert.equal(run("now() + duration('1h')"), "2026-01-03T01:00:00.000Z");
  assert.equal(run("inputs.workerBatch == '25%'"), true);
  assert.deepEqual(run('{"a": [1, 2]}'), { a: [1, 2] });
  assert.deepEqual(
    run("groups.canary"),
    scope.groups &&
      (scope.groups as Record<string, unknown>).canary,
  );
  assert.equal(run("node.labels.disk"), "ssd");
  assert.equal(run("'disk' in node.labels"), true);
  assert.equal(run('steps["see-new"].ok'), 2);
  assert.equal(
    run("steps.salvage.copy.map(k, steps.salvage.copy[k].file)[0]"),
    "n3.db",
  );
  assert.equal(run("groups.stale.filter(n, n.role == 'worker')[0].name"), "n1");
  assert.equal(run("cel.bind(x, inputs.count, x + x)"), 6);
});

Deno.test("a misspelt name is found with what was meant", () => {
  assert.deepEqual(fault("inputs.verson"), {
    offset: 7,
    message: '"inputs" has no "verson"',
    hint: 'Did you mean "version"?',
  });
  assert.deepEqual(fault("inptus.version"), {
    offset: 0,
    message: 'Unknown name "inptus"',
    hint: 'Did you mean "inputs"?',
  });
  assert.deepEqual(fault("node.etcd.ledaer"), {
    offset: 10,
    message: '"node.etcd" has no "ledaer"',
    hint: 'Did you mean "leader"?',
  });
  assert.deepEqual(fault("groups.stale.map(n, n.nmae)"), {
    offset: 22,
    message: '"n" has no "nmae"',
    hint: 'Did you mean "name"?',
  });
  assert.deepEqual(fault("groups.stale[0].nmae"), {
    offset: 16,
    message: '"groups.stale[…]" has no "nmae"',
    hint: 'Did you mean "name"?',
  });
  assert.deepEqual(fault("has(inputs.bogus)"), {
    offset: 11,
    message: '"inputs" has no "bogus"',
    hint:
      "It has: version, image, soak, workerBatch, rollback, singleControlPlane, graceBeforeDrop, maxAge, cluster, evenIfQuorum, bootstrapNode, snapshot, ca, otherCa, count, share",
  });
  assert.deepEqual(fault("semverComp('v1.0.0', 'v1.0.0')"), {
    offset: 0,
    message: 'Unknown function "semverComp"',
    hint: 'Did you mean "semverCompare"?',
  });
  assert.deepEqual(fault("zzzz(1)"), {
    offset: 0,
    message: 'Unknown function "zzzz"',
  });
  assert.deepEqual(fault("zzzz"), {
    offset: 0,
    message: 'Unknown name "zzzz"',
    hint:
      "In scope here: inputs, vars, groups, cluster, steps, decisions, node, result, error",
  });
});

Deno.test("matches is refused, and glob offered", () => {
  for (const source of ["node.name.matches('(a+)+$')", "matches('a', 'a')"]) {
    assert.deepEqual(fault(source), {
      offset: 0,
      message: '"matches" is not supported: a pattern could take forever',
      hint: "Use glob(text, pattern), where * matches any text",
    });
  }
  assert.equal(run("glob(node.name, 'n*')"), true);
});

Deno.test("a secret can only be handed on as a whole", () => {
  assert.equal(fault("inputs.ca", "secret"), undefined);
  assert.equal(
    fault("has(inputs.ca) ? inputs.ca : steps.make.ca", "secret"),
    undefined,
  );
  assert.equal(fault("has(inputs.ca)", "bool"), undefined);
  const secret = '"inputs.ca" is a secret and can only be passed on as a whole';
  const parts = [
    "inputs.ca + 'a'",
    "string(inputs.ca)",
    "dyn(inputs.ca)",
    "[inputs.ca]",
    "{'a': inputs.ca}",
    "inputs.ca == inputs.otherCa",
    "cel.bind(x, inputs.ca, x)",
    "[1].map(n, inputs.ca)",
  ];
  for (const source of parts) {
    assert.equal(fault(source)?.message, secret, source);
  }
  assert.equal(
    fault("inputs['c' + 'a']")?.message,
    undefined,
    "an index that is computed gives no secret away",
  );
});

Deno.test("the value of a secret is nowhere in reach of an expression", () => {
  assert.throws(() => run("inputs['c' + 'a'].secret"), ConfigError);
  assert.equal(
    fault("size(steps)")?.message,
    '"steps" contains a secret and can only be passed on as a whole',
  );
  assert.equal(
    fault("steps.make")?.message,
    "A secret cannot be used here",
  );
  assert.equal(fault("inputs.ca.secret") !== undefined, true);
});

Deno.test("expressions: optional values need a test", () => {
  assert.deepEqual(fault("inputs.snapshot + '.db'"), {
    offset: 0,
    message: '"inputs.snapshot" may be absent',
    hint: "Check has(inputs.snapshot) first, or give the input a default",
  });
  assert.equal(
    fault("has(inputs.snapshot) && inputs.snapshot == 'a'"),
    undefined,
  );
  const checked = checkExpression("inputs.snapshot", declarations);
  assert.equal("absent" in checked && checked.absent, "inputs.snapshot");
  assert.deepEqual(
    assuredPaths(
      "node.ready && has(inputs.snapshot) && (has(inputs.ca) || true)",
    ),
    [["inputs", "snapshot"]],
  );
  assert.deepEqual(assuredPaths("has("), []);
});

Deno.test("expressions: evaluation errors name the expression", () => {
  assert.throws(
    () => run("inputs.count / 0"),
    new ConfigError('Cannot evaluate "inputs.count / 0": division by zero'),
  );
  assert.throws(
    () => run("inputs.verson"),
    (error: ConfigError) => {
      assert.equal(
        error.message,
        'Cannot evaluate "inputs.verson": "inputs" has no "verson", at character 8',
      );
      assert.equal(error.hint, 'Did you mean "version"?');
      return true;
    },
  );
  assert.throws(
    () => run("1 +"),
    new ConfigError(
      'Cannot evaluate "1 +": Unexpected token: EOF, at character 4',
    ),
  );
  assert.throws(
    () =>
      evaluate(
        "inputs.soak",
        declarations,
        { inputs: { soak: "soon" } },
        world,
      ),
    new ConfigError(
      'Cannot evaluate "inputs.soak": Cannot use "soon": it is not a duration',
    ),
  );
  assert.throws(
    () => run("semverCompare('1', 'v1.0.0')"),
    /Cannot read "1": it is not a version/,
  );
});

Deno.test("expressions that are too long or too deep are refused", () => {
  const long = Array.from({ length: 400 }, () => "1").join(" + ");
  assert.match(fault(long)?.message ?? "", /maxAstNodes/);
  const deep = "[".repeat(30) + "]".repeat(30);
  assert.match(fault(deep)?.message ?? "", /maxDepth/);
  assert.equal(
    fault("!".repeat(50_000) + "true")?.message,
    "It is longer than 4096 characters",
  );
  assert.match(fault("-".repeat(4_000) + "1")?.message ?? "", /maxAstNodes/);
  const fits = Array.from({ length: 100 }, () => "1").join(" + ");
  assert.equal(run(fits), 100);
});

Deno.test("names of a prototype are not members", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    assert.notEqual(fault(`inputs["${name}"]`), undefined, name);
    assert.throws(() => run(`node.labels["${name}"] + ""`), ConfigError, name);
  }
});

Deno.test("an expression is compiled once for the same names", () => {
  const own = { a: field("int") };
  const first = checkExpression("a", own);
  assert.equal(checkExpression("a", own), first);
  const other = checkExpression("a", { a: object({}) });
  assert.ok("field" in other);
  assert.deepEqual(other.field, object({}));
});
