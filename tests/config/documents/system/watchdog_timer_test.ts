import { watchdogTimer } from "../../../../config/documents/system/watchdog_timer.ts";
import { testRules } from "../_rules.ts";

const device = "/dev/watchdog0";

testRules(watchdogTimer, [
  {
    title: "10 seconds are enough",
    value: { device, timeout: "10s" },
    problems: [],
  },
  { title: "0 is the default", value: { device, timeout: "0s" }, problems: [] },
  {
    title: "less than 10 seconds are too short",
    value: { device, timeout: "9.9s" },
    problems: ['timeout: Timeout "9.9s" is too short'],
  },
  {
    title: "negative times are too short",
    value: { device, timeout: "-1m" },
    problems: ['timeout: Timeout "-1m" is too short'],
  },
]);
