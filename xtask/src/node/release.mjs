// Trunk's post-build hook: splits the released page's WebAssembly and adds its policy. A page served
// for development is left unchanged.
import { writePolicy } from "./policy.mjs";
import { split } from "./split.mjs";

const { TRUNK_PROFILE, TRUNK_STAGING_DIR } = process.env;
if (TRUNK_PROFILE === "release") {
  await split(TRUNK_STAGING_DIR);
  writePolicy(TRUNK_STAGING_DIR);
}
