/**
 * The parts of the sandbox that are more complicated than their task, because a goal needs them
 * (docs/decisions/0026-keep-the-fast-parts-of-the-sandbox-in-one-folder.md). The rest of the sandbox uses only these
 * functions, and knows no savepoints, slices or rollbacks of caches.
 *
 * Goals, measured with `npm run bench sandbox`:
 *
 * - Single sends: at least half as many per second as a bare server with the same HTTP library and one insert per request.
 * - A bulk send to 100,000 recipients: no turn of the event loop takes over 50 ms.
 */
export { number, nullableNumber, nullableText, oneOf, type Row, text } from './columns';
export { createGroupCommit, type GroupCommit } from './groupCommit';
export { sendDirectly } from './sendDirectly';
export { repeatInSlices, ROWS_PER_STEP, SLICE_LENGTH, slicesOf } from './timeSlices';
export { type Cached, cached, forgetCaches, registerCache, transaction, writeCaches } from './transaction';
