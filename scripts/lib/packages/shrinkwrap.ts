import { z } from 'zod/v4';
import { manifestOf, type ProgramPackage } from './packages';

const lockFile = z.looseObject({ packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })) });

/**
 * Makes the `npm-shrinkwrap.json` of a published program from the lock file of its folder. Everyone then installs the
 * packages that the tests ran with, also those that its dependencies need.
 * @param lock content of `package-lock.json`
 * @see https://docs.npmjs.com/cli/configuring-npm/npm-shrinkwrap-json
 */
export function shrinkwrapOf(lock: unknown, program: ProgramPackage): object {
	const { packages, ...others } = lockFile.parse(lock);
	const needed = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
	const own = manifestOf(program);
	return { ...others, ...identity.parse(own), packages: { '': own, ...Object.fromEntries(needed) } };
}

const identity = z.object({ name: z.string(), version: z.string() });
