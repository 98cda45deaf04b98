import type { Api } from "./osctl-runbook.d.ts";

// In the order in which they are worked on.
const zones = ["a", "b", "c"];

export default (rb: Api) =>
  rb.runbook("zones", { title: "Reboot workers, zone by zone" }, (b) => {
    for (const zone of zones) {
      const group = b.group(`zone-${zone}`, {
        role: "worker",
        where: `node.zone == '${zone}'`,
      });
      b.forEach(`reboot-${zone}`, group, { batch: 1 }, (n) => {
        n.run("reboot", "node.reboot");
      });
    }
  });
