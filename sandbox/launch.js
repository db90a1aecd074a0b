/** Entry of `npm start`, in plain JavaScript so that an old Node can read it: says clearly which Node is needed, then hands over. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `tillflow needs Node 22.18 or newer to run from source; this is ${process.versions.node}. On Linux x64 run "npm ci" first: it brings its own.\n`,
  );
  process.exit(1);
}
await import('./main.ts');
