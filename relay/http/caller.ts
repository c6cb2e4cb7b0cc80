import type { TokenKind } from './schemas';

/** The token that made a request. */
export interface Caller {
	readonly id: string;
	readonly name: string;
	readonly kind: TokenKind;
}
