/** `etcd.removeMember`: by name, also in a run resumed after the removal. */

import { ConfigError } from "../../errors.ts";
import { etcdRemoveMember } from "../operations/etcd/leave.ts";
import { membersNamed } from "../etcd/etcd_facts.ts";
import type { Module, StepContext } from "./module.ts";
import { readText } from "../runbook_cel/values.ts";

/** Removes the etcd member of a removed node; does nothing when it is not listed. */
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
  async prepare(context, input) {
    const text = readText(input, "member") ?? "";
    const member = await readId(context, text);
    if (member === "") context.note(`etcd lists no member "${text}"`);
    // A resumed run finds the outcome of its earlier request, whatever member is named here.
    return { input: { member }, toOutput: () => ({ member }) };
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
