/** `etcd.removeMember`: by name, also in a run that is taken up behind the removal. */

import { ConfigError } from "../../errors.ts";
import { etcdRemoveMember } from "../operations/etcd/leave.ts";
import { membersNamed } from "../etcd/etcd_facts.ts";
import type { Module, StepContext } from "./module.ts";
import { readText } from "../runbook_cel/values.ts";

/** Takes a member whose node is gone out of etcd; nothing is done when it is not in the list. */
export const etcdRemove: Module = {
  kind: "change",
  name: "etcd.removeMember",
  summary: "Remove a broken member from etcd",
  scope: "node",
  operation: etcdRemoveMember,
  input: {
    node: {
      type: "node",
      summary: "Control plane to query; default the node of the fan-out",
    },
    member: {
      type: "string",
      required: true,
      summary: "Member id, 16 hexadecimal digits, or hostname",
    },
  },
  output: {
    member: {
      type: "string",
      summary: "Id of the removed member; empty if it was not listed",
    },
  },
  retryable: ["unavailable", "deadline", "not-started"],
  widenable: ["precondition"],
  timeout: "5m",
  async prepare(site, input) {
    const text = readText(input, "member") ?? "";
    const member = await readId(site, text);
    if (member === "") site.note(`etcd lists no member "${text}"`);
    // A run that has asked for it before finds out what became of that, whatever is given here.
    return { input: { member }, outputOf: () => ({ member }) };
  },
};

async function readId({ cluster }: StepContext, text: string): Promise<string> {
  const { facts } = await cluster.readEtcd();
  const [found, ...others] = membersNamed(text, facts);
  if (others.length === 0) return found?.id ?? "";
  throw new ConfigError(
    `"${text}" is the name of ${others.length + 1} etcd members`,
    { hint: "Give the id of one; list them with: osctl etcd members" },
  );
}
