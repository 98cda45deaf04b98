/** System facts of a fake node. */

import { domain } from "../../../talos.ts";
import type { FakeNode } from "../../_fake.ts";

/** A system. */
export interface FakeSystem {
  /** Version with `v`. */
  readonly version: string;
  /** Source of the image; omitted, it is not reported. */
  readonly schematic?: string;
  readonly extensions?: Readonly<Record<string, string>>;
  readonly extraInfo?: string;
  /** Default false. */
  readonly secureBoot?: boolean;
  /** Default `metal`. */
  readonly platform?: string;
  /** Image in the configuration; omitted, there is no configuration. */
  readonly installImage?: string;
  /** Version of Kubernetes, with `v`; omitted, it does not tell. */
  readonly kubernetes?: string;
}

/** A schematic that says nothing of extensions. */
export const plainSchematic =
  "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** Another one. */
export const otherSchematic =
  "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";

/**
 * Makes the answers about a system.
 *
 * @param now The system at this moment.
 * @param status The node's status, for `MachineStatuses`.
 */
export function systemHandlers(
  now: () => FakeSystem,
  status: () => unknown = () => ({ stage: "running", status: { ready: true } }),
): FakeNode {
  const text = (spec: unknown) => ({
    resource: { spec: { yamlSpec: JSON.stringify(spec) } },
  });
  return {
    version: () => ({
      messages: [{
        version: { tag: now().version, arch: "amd64" },
        platform: {
          name: now().platform ?? "metal",
          mode: now().platform ?? "metal",
        },
      }],
    }),
    get({ type }: { readonly type: string }) {
      if (type === `SecurityStates.${domain}`) {
        return text({ secureBoot: now().secureBoot ?? false });
      }
      if (type === `KubeletSpecs.kubernetes.${domain}`) {
        const { kubernetes } = now();
        return text({
          image: kubernetes && `registry.example/kubelet:${kubernetes}`,
        });
      }
      if (type !== `MachineConfigs.config.${domain}`) return text(status());
      const image = now().installImage;
      return text(
        image === undefined ? {} : { machine: { install: { image } } },
      );
    },
    async *list() {
      const { schematic, extensions = {}, extraInfo = "customization: {}" } =
        now();
      const all = [
        ...Object.entries(extensions).map(([name, version]) => ({
          name,
          version,
        })),
        ...schematic === undefined
          ? []
          : [{ name: "schematic", version: schematic, extraInfo }],
        { name: "modules.dep", version: "6.18.42" },
      ];
      for (const [index, metadata] of all.entries()) {
        const { resource } = text({ metadata });
        const id = String(index);
        yield await Promise.resolve({
          resource: { ...resource, metadata: { id } },
        });
      }
    },
  };
}
