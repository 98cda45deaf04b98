/** Makes what the control planes of a cluster run as etcd, or finds it as it was left. */

import type { Release } from "../node/release.ts";
import { noStore, type Store } from "../cluster/saved_state.ts";
import type { EtcdBackend } from "./etcd.ts";
import { etcdModel } from "./model_backend.ts";
import {
  type Hosts,
  realEtcd,
  type RealEtcdOptions,
} from "./real/real_backend.ts";
import { writeModel } from "./saved_model.ts";

/** What was made, or found. */
export interface MadeEtcd {
  /** What runs etcd. */
  readonly backend: EtcdBackend;
  /** True when there was none yet. */
  readonly isNew: boolean;
}

/** Makes etcd. Throws ConfigError when the store holds something else, or etcd is not installed. */
export async function makeEtcd(
  { etcd, store, release, hosts }: {
    readonly etcd: "model" | RealEtcdOptions | EtcdBackend;
    readonly store: Store;
    readonly release: Release;
    readonly hosts: Hosts;
  },
): Promise<MadeEtcd> {
  if (etcd !== "model" && "serverOf" in etcd) {
    return { backend: etcd, isNew: true };
  }
  const saved = await store.read(name);
  const isNew = saved === undefined;
  const save = (text: string) => store.write(name, text);
  if (etcd !== "model") {
    const backend = await realEtcd(etcd, hosts);
    if (isNew) await save("{}");
    return { backend, isNew };
  }
  const version = release.etcd.replace(/^v/, "");
  const keeps = store === noStore ? {} : { save };
  const backend = etcdModel({ saved, version, ...keeps });
  if (isNew) await save(writeModel(backend.data));
  return { backend, isNew };
}

const name = "etcd.json";
