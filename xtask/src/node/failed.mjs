// A reporter for `node --test`: each failed test as a line of its file, a tab, and a pattern of its name. The pattern of
// a whole file that failed matches every name.
export default async function* failed(events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.details?.error?.failureType === "subtestsFailed") continue;
    const pattern = data.name === data.file ? "." : `^${data.name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`;
    yield `${data.file}\t${pattern}\n`;
  }
}
