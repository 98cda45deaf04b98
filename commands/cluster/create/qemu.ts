import { homeDirectory } from "../../../config/osconfig/location.ts";
import { assetPath, fetchAsset } from "../../../provisioners/mod.ts";
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

/** `osctl cluster create qemu`: creates virtual machines from the image factory. */
export const command: AnyCommand = {
  summary: "Create a cluster of VMs with QEMU",
  description:
    `Checks what this machine needs for VMs, downloads the operating system from the image factory once, boots VMs from it,
applies configurations to them, and bootstraps the cluster.

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
    const image = asset === undefined ? undefined : {
      ...asset,
      cache: `${homeDirectory(context.environment.env) ?? "."}/cache`,
    };
    yield await createVms({
      request: image === undefined
        ? request
        : { ...request, machines: withImage(request.machines, image) },
      download: image && (() => download(image, context)),
      osconfig: context.input.osconfigDestination,
      staysUnconfigured: wanted.isMaintenance,
    }, { ...context, input: wanted.input });
  },
} satisfies Command<CreatedRow, FactoryInputs>;

/** Boot image of the machines, and its cache directory. */
interface Image extends NonNullable<FactoryRequest["asset"]> {
  readonly cache: string;
}

function withImage(
  machines: QemuRequest["machines"],
  { url, cache, isDiskImage }: Image,
): QemuRequest["machines"] {
  const path = assetPath(url, cache);
  return isDiskImage
    ? { ...machines, boot: { kind: "disk" }, diskImage: path }
    : { ...machines, boot: { kind: "iso", path } };
}

async function download(
  { url, cache }: Image,
  { signal, note }: Context<FactoryInputs>,
): Promise<void> {
  note(`using ${url}`);
  await working(
    `downloading ${url}`,
    () => fetchAsset(url, { cache, signal }),
  );
}
