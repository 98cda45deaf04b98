import type { Group } from "../../_kit/mod.ts";

/** `osctl cluster fault`: what goes wrong in simulated nodes. */
export const group: Group = {
  summary: "Switch faults of simulated nodes on and off",
  description:
    "Rehearse what happens in the field: silent streams, dead endpoints, wrong certificates, lost replies.",
};
