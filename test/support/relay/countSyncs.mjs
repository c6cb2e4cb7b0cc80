import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Counts calls of `fsyncSync` in the file SYNC_COUNTER, one byte for each, in a process that is started with `--import`. */
const { fsyncSync } = fs;
const counter = fs.openSync(process.env.SYNC_COUNTER ?? '', 'a');
fs.fsyncSync = (descriptor) => {
	fsyncSync(descriptor);
	fs.writeSync(counter, '.');
};
syncBuiltinESMExports();
