// Loads Berth's module for Node.js and prints what its `bench` returns.
const [module, ...args] = process.argv.slice(1).filter((argument) => argument !== "--");
const { default: berth } = await import(module);
console.log(berth.bench(args.join(" ")));
