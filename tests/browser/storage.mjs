// What the page has stored of its visits.

/** The name and the bytes of each part, of all tabs. */
export const stored = (page) =>
  page.evaluate(async () => {
    const open = indexedDB.open("berth");
    await new Promise((done) => (open.onsuccess = done));
    const store = open.result.transaction("visits").objectStore("visits");
    const [names, values] = await Promise.all(
      [store.getAllKeys(), store.getAll()].map((request) => new Promise((done) => (request.onsuccess = () => done(request.result)))),
    );
    open.result.close();
    return names.map((name, at) => [name, values[at].length]);
  });
