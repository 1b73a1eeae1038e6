// Clusters of any size, and how a page opens them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Manifests of nodes in ten zones, of Pods that fit, and of a last Pod that fits nowhere. */
export function cluster(title, nodes, pods) {
  const documents = [`apiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: ${title}\n`];
  for (let number = 0; number < nodes; number += 1) {
    documents.push(
      `apiVersion: v1\nkind: Node\nmetadata: {name: n-${number}, labels: {topology.kubernetes.io/zone: zone-${number % 10}}}\n` +
        'status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}\n',
    );
  }
  const pod = (name, cpu) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, labels: {app: web}}\n` +
    `spec: {containers: [{name: main, image: a, resources: {requests: {cpu: ${cpu}, memory: 256Mi}}}]}\n`;
  for (let number = 0; number < pods - 1; number += 1) {
    documents.push(pod(`web-${number}`, `${100 + 50 * (number % 5)}m`));
  }
  documents.push(pod("huge", "64"));
  return documents.join("---\n");
}

/**
 * Opens a scenario from a file: Playwright would decode a large buffer in the page. Waits for the
 * title, which must differ from the previous one.
 */
export async function open(page, yaml, title) {
  const folder = await mkdtemp(join(tmpdir(), "berth-cluster-"));
  try {
    const file = join(folder, "scenario.yaml");
    await writeFile(file, yaml);
    await page.locator('[data-field="files"]').setInputFiles(file);
    await page.waitForFunction(
      (title) =>
        document.querySelector(".topbar__title").textContent === title &&
        document.querySelector("[data-position]").dataset.position === "0",
      title,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
