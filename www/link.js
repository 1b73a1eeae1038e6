// Compresses the JSON text of a link and reads it back, with the browser's own zlib. The page loads this module with the
// Share dialog, or when its address has a link. The command has the same in src/cli/link/codec.rs.

/** Bytes handed to the decompressor at once. Deflate grows a thousandfold at most, so a bomb is noticed in time. */
const SLICE = 4096;

/** The base64url of the zlib of a text. */
export async function encode(text) {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes the valid prefix of base64url, and reports whether it was all. */
function bytesOf(payload) {
  const trimmed = payload.replace(/=+$/, "");
  const good = trimmed.match(/^[\w-]*/)[0];
  const intact = good.length === trimmed.length && good.length % 4 !== 1;
  const whole = intact ? good : good.slice(0, good.length - (good.length % 4));
  const binary = atob(whole.replaceAll("-", "+").replaceAll("_", "/"));
  return [Uint8Array.from(binary, (character) => character.charCodeAt(0)), intact];
}

/**
 * The text of a payload, as far as it can be read. `problem`: "", "damaged", or "large" if it has more than `limit`
 * bytes.
 */
export async function decode(payload, limit) {
  const [bytes, intact] = bytesOf(payload);
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  const writing = (async () => {
    for (let at = 0; at < bytes.length; at += SLICE) await writer.write(bytes.subarray(at, at + SLICE));
    await writer.close();
  })().catch(() => {});
  const reader = stream.readable.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  let problem = intact ? "" : "damaged";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > limit) {
        await reader.cancel();
        return { text: "", problem: "large" };
      }
      text += decoder.decode(value, { stream: true });
    }
    text += decoder.decode();
  } catch {
    problem = "damaged";
  }
  await writing;
  return { text, problem };
}
