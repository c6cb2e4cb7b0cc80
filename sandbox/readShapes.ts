import { readFileSync } from 'node:fs';
import { z } from 'zod/v4';
import { recordedShapes, type RecordedShapes } from '../shared/shapes/recordedShapes';
import { toErrorInfo } from './errorInfo';

/** The file of `--shapes` cannot be used. The message names the file and the cause. */
export class ShapesFileError extends Error {
	override readonly name = 'ShapesFileError';
}

/**
 * Reads the shapes that the doctor recorded.
 * @throws ShapesFileError if the file is missing, is not JSON, or has other content
 */
export function readShapes(file: string): RecordedShapes {
	const read = recordedShapes.safeParse(parse(file));
	if (read.success) return read.data;
	throw new ShapesFileError(`${file} has no recorded shapes. ${z.prettifyError(read.error)}`);
}

function parse(file: string): unknown {
	try {
		return JSON.parse(readFileSync(file, 'utf8'));
	} catch (error) {
		throw new ShapesFileError(`${file} cannot be read: ${toErrorInfo(error).message}`);
	}
}

/**
 * Reads the shapes of the file that the environment variable `SANDBOX_SHAPES` names.
 * @returns undefined if it names none
 * @throws ShapesFileError as {@link readShapes}
 */
export function shapesOfEnvironment(): RecordedShapes | undefined {
	const { SANDBOX_SHAPES: file = '' } = process.env;
	return file === '' ? undefined : readShapes(file);
}
