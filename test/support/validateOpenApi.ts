import { spawnSync } from 'node:child_process';

/** Runs the public validator in a separate process: it is an ES module, which jest does not load. */
export function validateOpenApi(specification: object): unknown {
	const program = `
		import { Validator } from '@seriousme/openapi-schema-validator';
		import { text } from 'node:stream/consumers';
		const validator = new Validator();
		const { valid } = await validator.validate(JSON.parse(await text(process.stdin)));
		console.log(JSON.stringify({ valid, version: validator.version }));`;
	const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
		input: JSON.stringify(specification),
		encoding: 'utf8',
	});
	if (stderr) throw new Error(stderr);
	return JSON.parse(stdout);
}
