/** Whether a server can listen on a port of the command line. Checked first, because the servers start after slow work. */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Throws one line that says what is wrong and what to do. `option` names the port; 0 is any free port. */
export async function assertUsable(port: number, option: string): Promise<void> {
  const probe = createServer((_, response) => response.end()).listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
    if (port !== 0) {
      await fetch(`http://127.0.0.1:${port}`);
    }
  } catch (error) {
    throw new Error(`Port ${port} ${reasonOf(error)}. Choose another port with ${option}.`);
  } finally {
    probe.close();
    probe.closeAllConnections();
  }
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'is already in use';
    case 'EACCES':
      return 'needs the rights of an administrator';
    case undefined:
      return 'cannot be used, because browsers and fetch refuse to call it';
    default:
      return `cannot be used (${String(error)})`;
  }
}
