import { z } from 'zod/v4';

const shape = z.object({ message: z.string(), code: z.string().optional().catch(undefined) });

/** Message and code of a thrown value. */
export interface ErrorInfo {
	readonly message: string;
	/** System code, e.g. `ECONNREFUSED`. */
	readonly code: string | undefined;
}

/** Reads message and code of a thrown value by its shape, since errors from another realm fail `instanceof Error`. */
export function toErrorInfo(thrown: unknown): ErrorInfo {
	const { data } = shape.safeParse(thrown);
	return { message: data?.message ?? String(thrown), code: data?.code };
}
