/** Secrets Manager in memory: a current and a previous value per secret, and a count of the reads. */
import type { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

export class MemorySecrets {
  readonly current = new Map<string, string>();
  readonly previous = new Map<string, string>();
  reads = 0;
  /** Thrown by the next reads while it is set. */
  failure: Error | undefined;

  put(name: string, value: unknown): void {
    const before = this.current.get(name);
    if (before !== undefined) {
      this.previous.set(name, before);
    }
    this.current.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }

  get client(): SecretsManagerClient {
    return { send: (command: GetSecretValueCommand) => this.#read(command) } as unknown as SecretsManagerClient;
  }

  async #read({ input }: GetSecretValueCommand): Promise<{ SecretString: string }> {
    await Promise.resolve();
    this.reads++;
    if (this.failure !== undefined) {
      throw this.failure;
    }
    const stage = input.VersionStage === 'AWSPREVIOUS' ? this.previous : this.current;
    const value = stage.get(input.SecretId ?? '');
    if (value === undefined) {
      throw Object.assign(new Error('no such secret'), { name: 'ResourceNotFoundException' });
    }
    return { SecretString: value };
  }
}
