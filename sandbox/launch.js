/** Entry of `npm start`, in plain JavaScript so that an old Node can read it. */
import '../require-node.js';

await import('./main.ts');
