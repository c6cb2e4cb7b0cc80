import 'reflect-metadata';
import 'n8n-core';
import 'n8n-workflow';
import { createRequire } from 'node:module';

/**
 * Loads one node in a process that has already loaded n8n-core, and prints the time. Arguments: file of the node, name of
 * its class.
 */
const [file = '', name = ''] = process.argv.slice(2);
const load = createRequire(file);
const began = performance.now();
const { [name]: Node } = load(file) as Record<string, new () => object>;
if (!Node) throw new Error(`${file} has no ${name}`);
new Node();
process.send?.(performance.now() - began);
