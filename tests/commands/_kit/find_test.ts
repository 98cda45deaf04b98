import assert from "node:assert/strict";
import type { IndexEntry } from "../../../commands/_kit/command.ts";
import { findCommand, named } from "../../../commands/_kit/find.ts";

function entry(
  name: string,
  aliases: readonly string[],
  group = false,
): IndexEntry {
  return {
    name,
    summary: name,
    aliases,
    section: "node",
    hidden: false,
    group,
  };
}

const entries = [
  entry("etcd", ["e"], true),
  entry("etcd members", ["etcd ls"]),
  entry("etcd snapshot", []),
  entry("etcd snapshot verify", []),
  entry("cluster create", []),
  entry("cluster create docker", []),
  entry("memory", ["m", "free"]),
];

function found(line: string): string {
  const { entry, taken } = findCommand(entries, line.split(" "));
  return `${entry.name}/${taken}`;
}

Deno.test("findCommand takes the longest name", () => {
  assert.equal(found("memory -v"), "memory/1");
  assert.equal(found("free"), "memory/1");
  assert.equal(found("etcd members x"), "etcd members/2");
  assert.equal(found("etcd ls"), "etcd members/2");
  assert.equal(found("e members"), "etcd members/2");
  assert.equal(found("etcd"), "etcd/1");
  assert.equal(found("cluster create docker"), "cluster create docker/3");
  assert.equal(found("cluster create --name docker"), "cluster create/2");
});

Deno.test("findCommand tells a command from the argument of a shorter one", () => {
  assert.equal(found("etcd snapshot db"), "etcd snapshot/2");
  assert.equal(found("etcd snapshot verify"), "etcd snapshot verify/3");
  assert.equal(found("etcd snapshot verify db"), "etcd snapshot verify/3");
  assert.equal(found("e snapshot verify db"), "etcd snapshot verify/3");
  assert.equal(found("etcd snapshot ./verify"), "etcd snapshot/2");
  assert.equal(found("etcd snapshot -- verify"), "etcd snapshot/2");
});

Deno.test("findCommand takes no name out of one word, however many it holds", () => {
  for (const word of ["etcd members", `etcd${" x".repeat(100_000)}`]) {
    assert.throws(() => findCommand(entries, [word]), {
      name: "UsageError",
      message: `Unknown command "${word}"`,
    });
  }
  assert.equal(findCommand(entries, ["etcd", "snapshot db"]).taken, 1);
  assert.equal(named(entries, `etcd${" x".repeat(100_000)}`), undefined);
});

Deno.test("findCommand suggests the nearest command", () => {
  assert.throws(() => found("memry"), {
    message: 'Unknown command "memry"',
    hint: 'Did you mean "osctl memory"?',
  });
  assert.throws(() => found("etcd member"), {
    message: 'Unknown command "etcd member"',
    hint: 'Did you mean "osctl etcd members"?',
  });
  assert.throws(() => found("xyzzy"), {
    hint: 'Run "osctl --help" for the list of commands',
  });
  assert.throws(() => found("etcd xyzzy"), {
    hint: 'Run "osctl etcd --help" for the list of commands',
  });
});

Deno.test("named finds nothing for an unknown name", () => {
  assert.equal(named(entries, "etcd nothing"), undefined);
  assert.equal(named(entries, ""), undefined);
});
