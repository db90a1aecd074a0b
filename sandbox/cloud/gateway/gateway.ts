/**
 * The REST API gateway of the local cloud: serves the template's API on its own port. The address maps directly to the
 * stage, as a custom domain does.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../clock.ts';
import type { FunctionHost, Gateway } from '../seams.ts';
import { type ApiStack, readApi } from './api.ts';
import { RequestHandler } from './handler.ts';

export interface GatewayOptions {
  /** With the resources of one REST API and one stage. */
  readonly stack: ApiStack;
  readonly clock: Clock;
  readonly functions: FunctionHost;
  /** 0 for any free port. */
  readonly port: number;
}

export interface RestGateway extends Gateway {
  /** One line for each of the newest requests, in the stage's format; empty if it has none. */
  accessLog(): readonly string[];
}

/** The real time that a caller has to send a whole request. */
const REQUEST_TIMEOUT_MS = 29_000;

/** Throws if the API uses something unsupported, or if the port is in use. */
export async function startGateway({ stack, clock, functions, port }: GatewayOptions): Promise<RestGateway> {
  const handler = new RequestHandler(readApi(stack), clock, functions);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (message, response) => {
    void handler.handle(message, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} is already in use. Choose another port with --port.`)
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessLog: () => handler.accessLog.entries,
    clear: () => handler.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
