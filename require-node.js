/**
 * Ends in one line when this Node cannot run the TypeScript sources. Every npm script starts with it. On Linux x64 the
 * scripts find the Node that `npm ci` installed; elsewhere they use the machine's own.
 */
const REQUIRED_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < REQUIRED_MAJOR) {
  process.stderr.write(
    `tillflow needs Node ${REQUIRED_MAJOR} or newer; this is ${process.versions.node}. On Linux x64 "npm ci" installs it; elsewhere install it yourself.\n`,
  );
  process.exit(1);
}
