import { homeDirectory } from "../../../config/osconfig/location.ts";
import { fetchAsset } from "../../../provisioners/mod.ts";
import { working } from "../../../transport/call/open_calls.ts";
import { type CreatedRow, createdView } from "../_created.ts";
import { createVms } from "../_qemu/create.ts";
import {
  type FactoryInputs,
  factoryInputs,
  type FactoryRequest,
  factoryRequest,
} from "../_qemu/factory.ts";
import type { QemuRequest } from "../_qemu/request.ts";
import type { AnyCommand, Command, Context } from "../../_kit/mod.ts";

/** `osctl cluster create qemu`: virtual machines from the image factory. */
export const command: AnyCommand = {
  summary: "Create a cluster of VMs with QEMU",
  description:
    `Downloads the operating system from the image factory once, boots VMs from it, applies configurations to them, and
bootstraps the cluster.

Runs on Linux. Root is needed for the bridge and the network interfaces of the VMs, and for DHCP and DNS on it; the
state directory belongs to the user who ran sudo. Without KVM, VMs run in software, which is much slower.`,
  inputs: factoryInputs,
  examples: [
    "cluster create qemu",
    "cluster create qemu --controlplanes 3 --disks nvme:20GB,scsi:5GB",
    "cluster create qemu --presets iso-secureboot",
  ],
  view: createdView,
  async *run(context) {
    const { asset, ...wanted } = factoryRequest(context.input);
    const { request } = wanted;
    const machines = asset === undefined
      ? request.machines
      : await withAsset(request.machines, asset, context);
    yield await createVms({
      request: { ...request, machines },
      osconfig: context.input.osconfigDestination,
      staysUnconfigured: wanted.isMaintenance,
    }, { ...context, input: wanted.input });
  },
} satisfies Command<CreatedRow, FactoryInputs>;

/** Downloads what the machines boot from. */
async function withAsset(
  machines: QemuRequest["machines"],
  { url, isDiskImage }: NonNullable<FactoryRequest["asset"]>,
  { environment, signal, note }: Context<FactoryInputs>,
): Promise<QemuRequest["machines"]> {
  const cache = `${homeDirectory(environment.env) ?? "."}/cache`;
  note(`using ${url}`);
  const path = await working(
    `downloading ${url}`,
    () => fetchAsset(url, { cache, signal }),
  );
  return isDiskImage
    ? { ...machines, boot: { kind: "disk" }, diskImage: path }
    : { ...machines, boot: { kind: "iso", path } };
}
