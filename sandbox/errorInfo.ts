import { z } from 'zod/v4';

const shape = z.object({ message: z.string(), code: z.string().optional().catch(undefined) });

/** What a caught value tells. */
export interface ErrorInfo {
	readonly message: string;
	/** The system's code, e.g. `ECONNREFUSED`. */
	readonly code: string | undefined;
}

/** Reads message and code of whatever was thrown, by its looks: errors of another realm are no `instanceof Error`. */
export function toErrorInfo(thrown: unknown): ErrorInfo {
	const { data } = shape.safeParse(thrown);
	return { message: data?.message ?? String(thrown), code: data?.code };
}
