// What leaves the page by the browser's own means: a picture as PNG, and the explanation on paper. Loaded when it is used.

/** Downloads the SVG as PNG, with `scale` pixels for each of its own. */
export async function savePng(svg, scale, name) {
  const source = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * scale;
  canvas.height = image.naturalHeight * scale;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(source);
  const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(png);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Prints the explanation alone. */
export function printExplanation() {
  const root = document.documentElement;
  root.dataset.print = "explanation";
  addEventListener("afterprint", () => delete root.dataset.print, { once: true });
  // The dialog that asked for it is still drawn.
  requestAnimationFrame(() => requestAnimationFrame(() => print()));
}

/** Prints another document. */
export function printDocument(html) {
  const frame = document.createElement("iframe");
  frame.title = "";
  frame.dataset.paper = "";
  frame.ariaHidden = "true";
  frame.tabIndex = -1;
  // It has its size on paper, out of sight.
  frame.style.cssText = "position:fixed;left:-300mm;top:0;width:210mm;height:297mm;border:0";
  frame.srcdoc = html;
  document.querySelector("iframe[data-paper]")?.remove();
  document.body.append(frame);
  return new Promise((done) => {
    frame.onload = () => {
      frame.contentWindow.print();
      done();
    };
  });
}
