import { etcdDowngrade } from "../../../workflows/operations/etcd/etcd_maintenance.ts";
import { actInputs, type Change, changing } from "../../_kit/operate.ts";
import { type AnyCommand, type Values, word } from "../../_kit/mod.ts";

const inputs = {
  version: word("etcd version, such as 3.5"),
  ...actInputs("30s"),
};

export const change = {
  operation: etcdDowngrade,
  prepare: ({ version }) => ({ input: { version } }),
  oneNode: "any",
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Enable a downgrade of etcd",
  inputs,
  examples: ["etcd downgrade enable 3.5 --nodes 10.0.0.2"],
  ...changing,
};
