import { chooseProvisioner, clusterNotFound } from "../../provisioners/mod.ts";
import { existingInputs, findCluster } from "./_cluster.ts";
import { type Command, duration, lines, type Values } from "../_kit/mod.ts";
import { working } from "../../transport/call/open_calls.ts";

/** A running cluster. */
interface StartedRow {
  readonly name: string;
  /** `host:port` or host of each control plane. */
  readonly endpoints: readonly string[];
  /** Names of the powered-off nodes. */
  readonly off: readonly string[];
}

const inputs = {
  ...existingInputs,
  waitTimeout: duration("timeout for the nodes to become ready", {
    initial: "20m0s",
  }),
};

export const command = {
  summary: "Start a cluster that was stopped",
  description:
    "The nodes keep their state, and nodes that were switched off stay off. Use it after a restart of this machine, or of the background process of simulated nodes.",
  inputs,
  view: lines(({ name, off }) =>
    off.length === 0
      ? `Cluster "${name}" is running`
      : `Cluster "${name}" is running; switched off: ${off.join(", ")}`
  ),
  async *run(context) {
    const { input, environment, signal, note } = context;
    const place = await findCluster(context);
    const provisioner = await chooseProvisioner(place, environment);
    const endpoints = await working(
      "starting nodes",
      () => provisioner.start(place, { waitMs: input.waitTimeout, signal }),
    );
    const found = await provisioner.show(place);
    if (found === undefined) throw clusterNotFound(place);
    const { cluster: { clusterinfo }, off: addresses } = found;
    const off = clusterinfo.nodes.filter(({ ips }) =>
      ips.some((ip) => addresses.includes(ip))
    ).map(({ name }) => name);
    yield { name: place.name, endpoints, off };
    const [first] = off;
    if (first === undefined) return;
    const which = input.name === undefined ? "" : ` --name ${input.name}`;
    note(
      `hint: Switch a node on with: osctl cluster node power on ${first}${which}`,
    );
  },
} satisfies Command<StartedRow, Values<typeof inputs>>;
