import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Status } from '../../http/schemas';
import type { OwnToken } from './client';

/** Data that several sections show. */
export interface Shared {
	/** Undefined until it has arrived. */
	readonly status: Status | undefined;
	/** The token that the page is logged in with. */
	readonly token: OwnToken;
	readonly logOut: () => Promise<void>;
}

/** Gives {@link useShared} its data. */
export const SharedContext = createContext<Shared | undefined>(undefined);

/** Returns the data that several sections show. */
export function useShared(): Shared {
	const shared = useContext(SharedContext);
	if (!shared) throw new Error('useShared needs a SharedContext.Provider above it.');
	return shared;
}
