import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Returns the time that counts as now. */
export type Now = () => Date;

/** Gives {@link useNow} another clock than the browser's. */
export const NowContext = createContext<Now>(() => new Date());

/** Returns the clock that decides which day is today. The time zone is always the browser's. */
export function useNow(): Now {
	return useContext(NowContext);
}
