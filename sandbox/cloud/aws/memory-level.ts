/**
 * Makes the memory of dynalite fit for a long life; imported before dynalite, which takes the class when it loads.
 *
 * dynalite ends iterators by `return`, a method that those of memory-level do not have: each Query and Scan would keep all
 * that the tables held at that moment. And memory-level keeps values as slices of Node's buffer pool, which would keep 64 kB
 * for each of them; as text a value takes its own length.
 */
import { createRequire } from 'node:module';

interface Iterator {
  close(): Promise<void>;
  return?: () => Promise<void>;
}

interface Level {
  keys(options?: object): Iterator;
  values(options?: object): Iterator;
}

const module = createRequire(import.meta.resolve('dynalite'))('memory-level') as {
  MemoryLevel: new (options?: object) => Level;
};

module.MemoryLevel = class extends module.MemoryLevel {
  constructor(options?: object) {
    super({ ...options, storeEncoding: 'utf8' });
  }

  override keys(options?: object): Iterator {
    return closable(super.keys(options));
  }

  override values(options?: object): Iterator {
    return closable(super.values(options));
  }
};

function closable(iterator: Iterator): Iterator {
  iterator.return = () => iterator.close();
  return iterator;
}
