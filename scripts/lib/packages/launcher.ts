/**
 * Writes the file that npm links as a command. It runs in any Node.js, so an old one gets a sentence instead of a missing
 * module. It also hides the warning that SQLite in Node.js is experimental.
 * @param command the name that the user types
 * @param node the oldest Node.js that runs the program, such as `22.19`
 */
export function launcher(command: string, node: string): string {
	const [major = '0', minor = '0'] = node.split('.');
	return `#!/usr/bin/env node
'use strict';
var version = process.versions.node.split('.').map(Number);
if (version[0] < ${major} || (version[0] === ${major} && version[1] < ${minor})) {
	process.stderr.write('${command} needs Node.js ${node} or later. This is ' + process.versions.node + '. Install a newer one from https://nodejs.org\\n');
	process.exit(1);
}
var emitWarning = process.emitWarning;
process.emitWarning = function (warning, type) {
	if (type !== 'ExperimentalWarning') emitWarning.apply(process, arguments);
};
require('../dist/${command}.js');
`;
}
