import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import { finders } from "../../_finders.ts";
import { modules } from "../../../workflows/modules/all.ts";
import {
  findEffect,
  findIdempotency,
} from "../../../workflows/modules/module.ts";

const { module: find, modules: moduleNames, whyNoModule } = finders;

Deno.test("a command is a step by its name with dots, and by the names beside it", async () => {
  const names = {
    version: "version",
    reboot: "reboot",
    "node.reboot": "reboot",
    "node.cordon": "node.cordon",
    "node.shutdown": "shutdown",
    "node.rollback": "rollback",
    "etcd.forfeitLeadership": "etcd.forfeitLeadership",
    "etcd.forfeit-leadership": "etcd.forfeitLeadership",
    "etcd.removeMember": "etcd.removeMember",
    "image.osBundle": "image.osBundle",
    applyConfig: "applyConfig",
    apply: "applyConfig",
    "images.ls": "image.list",
    "config.apply": "config.apply",
    "upgrade.legacy": "upgrade.legacy",
  };
  for (const [typed, name] of Object.entries(names)) {
    assert.equal((await find(typed))?.name, name, typed);
  }
});

Deno.test("a module wins over the command of its name", async () => {
  const module = await find("etcd.snapshot");
  assert.equal(module?.kind, "read");
  assert.deepEqual(Object.keys(module?.input ?? {}), ["artifact"]);
});

Deno.test("the words of old files name the same modules", async () => {
  const spelled = ["talos", "config.issue"].join("");
  assert.equal((await find(spelled))?.name, "osconfig.issue");
});

Deno.test("groups, and names of no command, are not steps", async () => {
  for (const name of ["etcd", "node", "node.nothing", "no.such", "node."]) {
    assert.equal(await find(name), undefined, name);
    assert.equal(whyNoModule?.(name), undefined, name);
  }
});

Deno.test("commands that make no sense in a run are refused, and it is said why", async () => {
  const why = {
    edit: "it is interactive; use config.patch",
    completion: "it is for shells",
    "runbook.check": "include runbooks with use",
    "cluster.create.embedded": "it manages clusters on this machine",
    "operation.resume": "runs have their own journal",
    rotateCa: "it is a runbook; write use: builtin:rotate-ca instead",
  };
  for (const [name, reason] of Object.entries(why)) {
    assert.equal(await find(name), undefined, name);
    assert.equal(whyNoModule?.(name), reason, name);
    assert.ok(!moduleNames.includes(name), name);
  }
});

Deno.test("the page of the language names every module, and every command that is none", async () => {
  const root = new URL("../../../", import.meta.url);
  const page = await Deno.readTextFile(
    new URL("docs/runbook-language.md", root),
  );
  const refused = entries.flatMap(({ name }) => {
    const [first = ""] = name.split(" ");
    return whyNoModule?.(first) === undefined ? [] : [first];
  });
  const files = await Promise.all(entries.map(({ load }) => load?.()));
  const shortSteps = files.flatMap((file) =>
    Object.keys(file?.command.shortSteps ?? {})
  );
  const names = [...modules.keys(), ...shortSteps, ...new Set(refused)];
  assert.ok(names.length > 20);
  const unnamed = names.filter((name) =>
    !page.includes(`\`${name}\``) && !page.includes(`\`${name} …\``)
  );
  assert.deepEqual(unnamed, []);
});

Deno.test("every other command is a step, and every name finds one", async () => {
  const modules = await Promise.all(moduleNames.map(find));
  for (const [index, module] of modules.entries()) {
    assert.ok(module !== undefined, `${moduleNames[index]}`);
  }
  const named = new Set(modules.map((module) => module?.name));
  const left = entries.filter(({ name, group, hidden }) =>
    !group && !hidden && whyNoModule?.(name.replaceAll(" ", ".")) === undefined
  ).filter(({ name }) => {
    const step = name.replaceAll(" ", ".")
      .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return !named.has(step);
  });
  assert.deepEqual(left.map(({ name }) => name), []);
});

Deno.test("steps of commands have the effect of their operation", async () => {
  const effects = {
    version: ["read", "pure"],
    "node.cordon": ["write", "converge"],
    "node.reboot": ["disrupt", "keyed"],
    "upgrade.install": ["disrupt", "once"],
    "upgrade.legacy": ["disrupt", "keyed"],
    "config.patch": ["disrupt", "converge"],
    "config.apply": ["disrupt", "converge"],
    "node.reset": ["destroy", "keyed"],
  };
  for (const [name, expected] of Object.entries(effects)) {
    const module = await find(name);
    assert.ok(module !== undefined);
    assert.deepEqual(
      [findEffect(module), findIdempotency(module)],
      expected,
      name,
    );
  }
});

Deno.test("programs of this machine are a step, which runs nothing where it is not allowed", async () => {
  const module = await find("command");
  assert.equal(module?.kind, "change");
  assert.equal(module && findEffect(module), "write");
  assert.ok(moduleNames.includes("command"));
});
