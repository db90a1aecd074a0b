/**
 * The cloud assembly that the sandbox runs. It is made in a process of its own, because the CDK takes 300 MB, which the
 * sandbox would keep.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Synthesized } from '../infra/synthesize.ts';

export type AssemblyStep =
  | { readonly step: 'bundled' }
  | { readonly step: 'synthesized'; readonly result: Synthesized };

const program = fileURLToPath(new URL('./assembly-process.ts', import.meta.url));

/** Resolves when the functions are bundled, with source maps, and the template is synthesized, below `directory`. */
export function assemble(directory: string, onProgress: (line: string) => void): Promise<Synthesized> {
  return new Promise((resolve, reject) => {
    const child = fork(program, [join(directory, 'cdk.out'), join(directory, 'functions')], { execArgv: [] });
    child.on('error', reject);
    child.on('exit', () => reject(new Error('the template could not be synthesized')));
    child.on('message', (message: AssemblyStep) => {
      if (message.step === 'bundled') {
        onProgress('functions are bundled');
      } else {
        onProgress('the CDK template is synthesized');
        resolve(message.result);
      }
    });
  });
}
